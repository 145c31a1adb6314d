// SPDX-License-Identifier: Apache-2.0

/// Computes layouts, ordinals and storage of a model that has passed the check.
///
/// A superentity's slots are the beginning of its subentities' slots: first everything of the superentity, then the
/// entity's own properties in the order of their declaration, then its hidden positions. Their offsets in a row also
/// depend on the entity's class.
struct ModelCompiler {
  let model: ManagedObjectModel

  /// Compiles the whole model.
  func compile() -> CompiledModel {
    let positions = hiddenPositions()
    var tables: [LinkTable] = []
    for root in model.entities where root.superentity == nil {
      compileHierarchy(root.withDescendants, positions: positions)
    }
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        if let table = makeOwnedTable(of: relationship) {
          tables.append(table)
        }
      }
    }
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties
      where relationship.compiledStorage == nil {
        relationship.compiledStorage = storage(of: relationship)
      }
    }
    tables.sort { UTF8Order.isLess($0.name, $1.name) }
    return CompiledModel(entities: model.entities, linkTables: tables)
  }
}

// MARK: - Layouts

extension ModelCompiler {
  /// Returns, for each entity, the ordered to-many relationships whose inverse is one of its to-one relationships:
  /// its rows contain the position.
  private func hiddenPositions() -> [ObjectIdentifier: [RelationshipDescription]] {
    var result: [ObjectIdentifier: [RelationshipDescription]] = [:]
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        guard relationship.isOrdered, relationship.isToMany, !relationship.isTransient,
          let inverse = relationship.maintainedInverse, !inverse.isToMany,
          let carrier = inverse.entity
        else { continue }
        result[ObjectIdentifier(carrier), default: []].append(relationship)
      }
    }
    return result
  }

  /// Compiles the entities of one hierarchy, given superentities first.
  private func compileHierarchy(
    _ entities: [EntityDescription], positions: [ObjectIdentifier: [RelationshipDescription]]
  ) {
    var plans: [ObjectIdentifier: RowPlan] = [:]
    for entity in entities {
      var plan = entity.superentity.flatMap { plans[ObjectIdentifier($0)] } ?? RowPlan()
      plan.add(
        ownContents(of: entity, positions: positions[ObjectIdentifier(entity)] ?? []), of: entity)
      plans[ObjectIdentifier(entity)] = plan
      let layout = RowLayout(
        entity: entity, contents: plan.contents, placement: plan.placement)
      entity.compiledLayout = layout
      entity.compiledDefaults = makeDefaults(layout)
      for (content, slot) in zip(layout.contents, layout.slots) { content.assign(slot) }
    }
    compileProperties(entities)
  }

  /// Makes a row of default values, which the model's check has validated.
  private func makeDefaults(_ layout: RowLayout) -> Row {
    let row = Row(layout: layout, key: 0, version: 0)
    for (content, slot) in zip(layout.contents, layout.slots) {
      guard case .attribute(let attribute, _) = content,
        let value = try? ValueCheck.check(attribute.initialValue, for: attribute)
      else { continue }
      try? row.setValue(value, at: slot)
    }
    return row
  }

  private func ownContents(
    of entity: EntityDescription, positions: [RelationshipDescription]
  ) -> [SlotContent] {
    var result: [SlotContent] = []
    for property in entity.declaredProperties {
      switch property {
      case let composite as CompositeAttributeDescription:
        result += composite.leaves.map { .attribute($0.attribute, name: $0.name) }
      case let attribute as AttributeDescription:
        result.append(.attribute(attribute, name: attribute.name))
      case let relationship as RelationshipDescription:
        if !relationship.isToMany, !relationship.isTransient {
          result.append(.reference(relationship))
        }
      default: break
      }
    }
    return result + positions.map { .position($0) }
  }

  /// Sets the compiled properties and hierarchy of the entities.
  private func compileProperties(_ entities: [EntityDescription]) {
    var properties: [ObjectIdentifier: [PropertyDescription]] = [:]
    var last: [ObjectIdentifier: Int] = [:]
    for (number, entity) in entities.enumerated().reversed() {
      let own = max(last[ObjectIdentifier(entity)] ?? 0, number)
      last[ObjectIdentifier(entity)] = own
      if let parent = entity.superentity {
        last[ObjectIdentifier(parent)] = max(last[ObjectIdentifier(parent)] ?? 0, own)
      }
    }
    for (number, entity) in entities.enumerated() {
      let inherited = entity.superentity.flatMap { properties[ObjectIdentifier($0)] } ?? []
      let all = inherited + entity.declaredProperties
      properties[ObjectIdentifier(entity)] = all
      let lastNumber = last[ObjectIdentifier(entity)] ?? number
      let compiled = CompiledEntity(
        properties: all, rootEntity: entities[0],
        concreteEntities: entities[number...lastNumber].filter { !$0.isAbstract },
        preorder: number, lastPreorder: lastNumber)
      entity.compiled = compiled
      for (ordinal, relationship) in compiled.relationships.enumerated() {
        relationship.compiledOrdinal = ordinal
      }
    }
  }
}

// MARK: - Relationships

extension ModelCompiler {
  /// Makes the link table that a relationship owns; nil when it has none or its inverse owns it.
  private func makeOwnedTable(of relationship: RelationshipDescription) -> LinkTable? {
    guard relationship.isToMany, !relationship.isTransient else { return nil }
    let inverse = relationship.maintainedInverse
    if let inverse, !inverse.isToMany || isBefore(inverse, relationship) { return nil }
    let table = LinkTable(
      relationship: relationship, inverse: inverse,
      name: "\(relationship.entity?.name ?? "").\(relationship.name)")
    relationship.compiledStorage = .links(table, isForward: true)
    if let inverse, inverse !== relationship {
      inverse.compiledStorage = .links(table, isForward: false)
    }
    return table
  }

  private func storage(of relationship: RelationshipDescription) -> RelationshipStorage {
    if let slot = relationship.slot { return .toOne(slot) }
    if !relationship.isTransient, let inverse = relationship.maintainedInverse,
      let slot = inverse.slot
    {
      let position = inverse.entity?.compiledLayout?.position(of: relationship)
      return .inverseOfToOne(slot: slot, position: position)
    }
    return .transient
  }

  /// Whether `left` has the smaller name: entity, then relationship.
  private func isBefore(_ left: RelationshipDescription, _ right: RelationshipDescription) -> Bool {
    let entities = UTF8Order.compare(left.entity?.name ?? "", right.entity?.name ?? "")
    return entities != 0 ? entities < 0 : UTF8Order.isLess(left.name, right.name)
  }
}
