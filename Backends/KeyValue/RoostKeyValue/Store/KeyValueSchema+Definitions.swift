// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension KeyValueSchema {
  /// Returns the table signatures of a schema, those of indexes before those of links.
  static func signatures(for schema: StoreSchema) -> [String] {
    definitions(for: schema).map(\.signature)
      + schema.linkTables.flatMap { [$0.forwardSignature, $0.backwardSignature] }
  }

  /// Returns the signatures of all link tables whose owner is in the store, wherever their destinations are.
  static func signaturesOfOwnedLinks(for schema: StoreSchema) -> Set<String> {
    var signatures: Set<String> = []
    for relationship in schema.entities.flatMap(\.relationshipsInOrder) {
      guard case .links(let table, isForward: true) = relationship.storage else { continue }
      signatures.formUnion([table.forwardSignature, table.backwardSignature])
    }
    return signatures
  }

  /// Returns the index definitions of a schema, without tables, each once.
  static func definitions(for schema: StoreSchema) -> [IndexDefinition] {
    var known: Set<String> = []
    return schema.entities.flatMap { entity in
      uniquenessIndexes(of: entity, in: schema) + fetchIndexes(of: entity, in: schema)
        + inverseIndexes(of: entity, in: schema) + wordIndexes(of: entity, in: schema)
    }.filter { known.insert($0.signature).inserted }
  }

  /// The codes of the concrete entities that are this one or below it.
  private static func codes(of entity: EntityDescription, in schema: StoreSchema) -> [Int] {
    entity.concreteEntities.compactMap { schema.code(of: $0) }
  }

  private static func uniquenessIndexes(
    of entity: EntityDescription, in schema: StoreSchema
  ) -> [IndexDefinition] {
    entity.uniquenessConstraints.compactMap { names in
      let components = names.compactMap { name in
        entity.layout.slot(named: name).map { IndexDefinition.Component(slot: $0, name: name) }
      }
      guard components.count == names.count, canOrder(components) else { return nil }
      return IndexDefinition(
        purpose: .unique(names),
        name: "\(entity.name ?? "").unique(\(names.joined(separator: ",")))", entity: entity,
        entityCodes: codes(of: entity, in: schema), components: components)
    }
  }

  private static func fetchIndexes(
    of entity: EntityDescription, in schema: StoreSchema
  ) -> [IndexDefinition] {
    entity.indexes.compactMap { index in
      let components = index.elements.compactMap { element in
        element.propertyName.flatMap { name in
          entity.layout.slot(named: name).map {
            IndexDefinition.Component(slot: $0, name: name, isDescending: !element.isAscending)
          }
        }
      }
      // An index element that is not a slot, such as an expression, has no entries: the index is left out, and
      // fetches scan.
      guard components.count == index.elements.count, canOrder(components) else { return nil }
      return IndexDefinition(
        purpose: .fetch, name: "\(entity.name ?? "").\(index.name)", entity: entity,
        entityCodes: codes(of: entity, in: schema), components: components,
        conditions: index.partialIndexPredicate.map {
          PartialCondition.conditions(of: $0, entity: entity, model: schema.model)
        } ?? [])
    }
  }

  /// Returns an index for each to-one relationship that the entity itself declares and whose inverse is to-many.
  private static func inverseIndexes(
    of entity: EntityDescription, in schema: StoreSchema
  ) -> [IndexDefinition] {
    entity.relationshipsInOrder.compactMap { relationship in
      guard case .toOne(let slot) = relationship.storage,
        entity.superentity?.layout.slot(named: relationship.name) == nil,
        case .inverseOfToOne(_, let position) = relationship.maintainedInverse?.storage
      else { return nil }
      var components = [IndexDefinition.Component(slot: slot, name: relationship.name)]
      if let position {
        components.append(
          IndexDefinition.Component(slot: position, name: relationship.name + ".position"))
      }
      return IndexDefinition(
        purpose: .inverse, name: "\(entity.name ?? "").\(relationship.name)", entity: entity,
        entityCodes: codes(of: entity, in: schema), components: components)
    }
  }

  /// An index for each searchable text that the entity itself declares.
  private static func wordIndexes(
    of entity: EntityDescription, in schema: StoreSchema
  ) -> [IndexDefinition] {
    entity.attributesInOrder.compactMap { attribute in
      guard attribute.isSearchable, attribute.isStored,
        entity.superentity?.layout.slot(named: attribute.name) == nil,
        let slot = entity.layout.slot(named: attribute.name), slot.kind == .string
      else { return nil }
      return IndexDefinition(
        purpose: .words, name: "\(entity.name ?? "").words(\(attribute.name))", entity: entity,
        entityCodes: codes(of: entity, in: schema),
        components: [IndexDefinition.Component(slot: slot, name: attribute.name)])
    }
  }

  private static func canOrder(_ components: [IndexDefinition.Component]) -> Bool {
    !components.isEmpty && components.allSatisfy { IndexDefinition.canOrder($0.slot.kind) }
  }
}
