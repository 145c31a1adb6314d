// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension StoreSchema {
  /// Makes the schema of a store for another version of its model.
  ///
  /// - Parameters:
  ///   - identity: The store.
  ///   - model: The version of the model, frozen.
  ///   - configuration: The configuration of the store; nil for all entities.
  ///   - codes: The code of each entity by name.
  ///   - modelText: Makes the canonical text of the model.
  /// - Throws: `persistentStoreIncompatibleSchema` when the model has no such configuration.
  package convenience init(
    identity: StoreIdentity, model: ManagedObjectModel, configuration: String?,
    codes: [String: Int], modelText: @escaping @Sendable () throws -> [UInt8] = { [] }
  ) throws {
    try self.init(
      identity: identity, model: model,
      entities: model.storedEntities(ofConfiguration: configuration), codes: codes,
      modelText: modelText)
  }

  /// Makes the schema of a part of a model's entities, such as those that a store was written with.
  ///
  /// - Parameters:
  ///   - identity: The store.
  ///   - model: The version of the model, frozen.
  ///   - entities: The entities, in any order.
  ///   - codes: The code of each entity by name.
  ///   - modelText: Makes the canonical text of the model.
  package convenience init(
    identity: StoreIdentity, model: ManagedObjectModel, entities: [EntityDescription],
    codes: [String: Int], modelText: @escaping @Sendable () throws -> [UInt8] = { [] }
  ) {
    self.init(
      identity: identity, model: model,
      inOrder: EntityDescription.superentitiesFirst(entities), codes: codes, modelText: modelText)
  }

  /// Makes the schema of sorted entities, superentities before subentities.
  package convenience init(
    identity: StoreIdentity, model: ManagedObjectModel, inOrder entities: [EntityDescription],
    codes: [String: Int], modelText: @escaping @Sendable () throws -> [UInt8] = { [] }
  ) {
    self.init(
      identity: identity, model: model, entities: entities,
      linkTables: Self.linkTables(of: entities), codes: codes, modelText: modelText)
  }

  /// Returns the link tables of the store: both ends can be in it, or the owners are and their links may lead to
  /// other stores.
  private static func linkTables(of entities: [EntityDescription]) -> [LinkTable] {
    let held = Set(entities.lazy.filter { !$0.isAbstract }.map { ObjectIdentifier($0) })
    var seen: Set<ObjectIdentifier> = []
    var tables: [LinkTable] = []
    for entity in entities {
      for relationship in entity.relationshipsInOrder {
        guard case .links(let table, let isForward) = relationship.storage else { continue }
        guard let destination = relationship.destinationEntity,
          isForward && relationship.leadsAcrossStores
            || destination.concreteEntities.contains(where: { held.contains(ObjectIdentifier($0)) }
            ), seen.insert(ObjectIdentifier(table)).inserted
        else { continue }
        tables.append(table)
      }
    }
    return tables
  }
}

extension ManagedObjectModel {
  /// The entities of a configuration, superentities before subentities.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when there is no such configuration.
  package func storedEntities(ofConfiguration name: String?) throws -> [EntityDescription] {
    guard let entities = entities(forConfigurationName: name) else {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema, "The model has no configuration “\(name ?? "")”.")
    }
    return EntityDescription.superentitiesFirst(entities)
  }
}

extension EntityDescription {
  /// Sorts entities: superentities before subentities, then by name.
  fileprivate static func superentitiesFirst(
    _ entities: [EntityDescription]
  ) -> [EntityDescription] {
    func depth(_ entity: EntityDescription) -> Int {
      var depth = 0
      var current = entity.superentity
      while let ancestor = current {
        depth += 1
        current = ancestor.superentity
      }
      return depth
    }
    return entities.map { (depth: depth($0), entity: $0) }
      .sorted { left, right in
        if left.depth != right.depth { return left.depth < right.depth }
        return UTF8Order.isLess(left.entity.name ?? "", right.entity.name ?? "")
      }
      .map(\.entity)
  }
}
