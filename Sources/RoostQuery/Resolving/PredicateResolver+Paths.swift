// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Resolution of key paths.
extension PredicateResolver {
  /// A path with the type of its values.
  struct TypedPath {
    var path: ResolvedPath
    var type: ExpressionType
    /// The path as it was written, for error messages.
    var text: String
  }

  /// Returns the entity at the start of a path.
  func entity(of root: ResolvedPath.Root) throws -> EntityDescription {
    switch root {
    case .object:
      guard let entity else { throw invalid("a lone value has no properties") }
      return entity
    case .variable(let number): return members[number].entity
    }
  }

  /// Looks up a path.
  ///
  /// - Throws: `unknownKey` for a step that is not a property, `invalidRequest` for a property that queries do not
  ///   support.
  func path(_ steps: ArraySlice<String>, from root: ResolvedPath.Root) throws -> TypedPath {
    let walk = try self.walk(steps, from: root)
    if let composite = walk.composite {
      throw invalid(
        "“\(composite.name)” is a composite: name one of its elements, as \(composite.name).x, or "
          + "compare it with nil"
      )
    }
    return TypedPath(
      path: walk.path, type: walk.type, text: steps.joined(separator: "."))
  }

  /// Returns the composite at the end of a path, and whether a relationship before it is to-many; nil for a path that
  /// ends elsewhere, which is resolved in full later.
  func compositeEnd(
    _ steps: ArraySlice<String>, from root: ResolvedPath.Root
  ) -> (composite: CompositeAttributeDescription, isToMany: Bool)? {
    // Aggregates, columns and the keys of no property are none of a composite.
    guard let walk = try? self.walk(steps, from: root), let composite = walk.composite else {
      return nil
    }
    return (composite.attribute, walk.path.isToMany)
  }

  private func walk(
    _ steps: ArraySlice<String>, from root: ResolvedPath.Root
  ) throws -> PathWalk {
    guard steps.count <= QueryLimits.maximumDepth else {
      throw PersistenceError(
        .limitExceeded, "a key path has more than \(QueryLimits.maximumDepth) steps")
    }
    let first = try entity(of: root)
    var walk = PathWalk(
      steps: steps, object: object(of: root), entity: first,
      path: ResolvedPath(root: root, relationships: [], end: .object, rootEntity: first))
    while let step = walk.next() {
      try follow(step, &walk)
    }
    return walk
  }

  /// The state of resolving a path.
  private struct PathWalk {
    var steps: ArraySlice<String>
    /// The object at the current step, as an expression.
    var object: FetchExpression
    var entity: EntityDescription
    var path: ResolvedPath
    var type = ExpressionType.object
    var isAtEnd = false
    /// The composite at the end, which is no value, and its dotted name.
    var composite: (name: String, attribute: CompositeAttributeDescription)?

    mutating func next() -> String? { steps.popFirst() }
  }

  private func object(of root: ResolvedPath.Root) -> FetchExpression {
    switch root {
    case .object: .evaluatedObject
    case .variable(let number): .variable(members[number].name)
    }
  }

  private func follow(_ step: String, _ walk: inout PathWalk) throws {
    guard !walk.isAtEnd else { throw unknownKey(step, walk.entity) }
    guard let (property, guardEntity) = try property(step, walk) else {
      return try followAlias(step, &walk)
    }
    try check(property, walk.entity)
    switch property {
    case let relationship as RelationshipDescription:
      guard let destination = relationship.destinationEntity else {
        throw unknownKey(step, walk.entity)
      }
      walk.path.relationships.append(relationship)
      walk.entity = destination
      walk.object = walk.object.appending([step]).expression
    case let attribute as AttributeDescription:
      try end(with: attribute, guardEntity, &walk)
    default:
      throw invalid("“\(step)” is a fetched property, which a query cannot look into")
    }
  }

  /// Resolves keys that every object has, unless a property has the name.
  private func followAlias(_ step: String, _ walk: inout PathWalk) throws {
    switch step {
    case "self", "SELF": return
    case "objectID": walk.isAtEnd = true
    case "entity":
      walk.path.end = .entity
      walk.type = .entity
      if walk.steps.first == "name" { _ = walk.steps.popFirst() }
      walk.isAtEnd = true
    default: throw unknownKey(step, walk.entity)
    }
  }

  /// Resolves the attribute, or the composite element named by the next steps.
  private func end(
    with attribute: AttributeDescription, _ guardEntity: EntityDescription?, _ walk: inout PathWalk
  ) throws {
    var attribute = attribute
    let owner = guardEntity ?? walk.entity
    var name = attribute.name
    while let composite = attribute as? CompositeAttributeDescription {
      guard let step = walk.next() else {
        walk.composite = (name, composite)
        return
      }
      guard
        let element = composite.elements.first(where: { $0.name == step }) as? AttributeDescription
      else { throw unknownKey("\(name).\(step)", walk.entity) }
      attribute = element
      name += "." + step
    }
    guard let slot = owner.layout.slot(named: name) else { throw unknownKey(name, walk.entity) }
    walk.path.end = .attribute(attribute, slot)
    walk.path.endGuard = guardEntity
    walk.type = ExpressionType(attribute.type)
    walk.isAtEnd = true
  }

  private func check(_ property: PropertyDescription, _ entity: EntityDescription) throws {
    if property.isTransient, !allowsTransient {
      throw PersistenceError(
        .invalidRequest, "“\(property.name)” is transient: no store has it",
        entityName: entity.name, key: property.name)
    }
  }

  func unknownKey(_ key: String, _ entity: EntityDescription) -> PersistenceError {
    PersistenceError(
      .unknownKey, "“\(entity.name ?? "")” has no property “\(key)”.", entityName: entity.name,
      key: key)
  }

  // MARK: Properties of subentities

  /// Returns the property with a name, and the required entity when it belongs to a subentity.
  private func property(
    _ name: String, _ walk: PathWalk
  ) throws -> (PropertyDescription, EntityDescription?)? {
    if let property = walk.entity.property(named: name) { return (property, nil) }
    let candidates =
      admitted[walk.object] ?? walk.entity.concreteEntities.filter { $0 !== walk.entity }
    var found: (property: PropertyDescription, entity: EntityDescription)?
    for candidate in candidates where candidate.isKindOf(entity: walk.entity) {
      guard let property = candidate.property(named: name), property !== found?.property else {
        continue
      }
      guard found == nil else {
        throw PersistenceError(
          .unknownKey,
          "Several subentities of “\(walk.entity.name ?? "")” have a property “\(name)”: say which "
            + "one with “entity ==”.", entityName: walk.entity.name, key: name)
      }
      found = (property, property.entity ?? candidate)
    }
    return found.map { ($0.property, $0.entity) }
  }
}
