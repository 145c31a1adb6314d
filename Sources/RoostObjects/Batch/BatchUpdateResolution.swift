// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// Resolves a batch update to slots, values and a resolved predicate.
struct BatchUpdateResolution {
  let request: BatchUpdateRequest
  let context: ManagedObjectContext

  func resolve() throws -> BatchUpdate {
    let entity = try context.fetcher.entity(named: request.entityName, orGiven: request.entity)
    let resolver = try context.fetcher.requestResolver()
    let fetch = ResolvedFetch(
      entity: entity,
      entities: request.includesSubentities
        ? entity.concreteEntities : entity.isAbstract ? [] : [entity],
      predicate: try request.predicate.map { try resolver.predicate($0, of: entity) })
    var batch = BatchUpdate(
      fetch: CoordinatorFetch(
        fetch: fetch,
        affectedStores: try context.fetcher.stores(named: request.affectedStoreIdentifiers),
        fillsRowCache: false),
      origin: context.origin)
    for (key, value) in request.propertiesToUpdate ?? [:] {
      try add(value, to: attribute(key, of: entity), of: entity, resolver, &batch)
    }
    guard !batch.values.isEmpty || !batch.computed.isEmpty else {
      throw invalid("A batch update needs properties to update.")
    }
    return batch
  }

  private func attribute(
    _ key: AnyHashable, of entity: EntityDescription
  ) throws -> AttributeDescription {
    let name = (key.base as? PropertyDescription)?.name ?? key.base as? String ?? "\(key)"
    return try entity.batchAttribute(named: name)
  }

  private func add(
    _ value: Any, to attribute: AttributeDescription, of entity: EntityDescription,
    _ resolver: RequestResolver, _ batch: inout BatchUpdate
  ) throws {
    guard let expression = value as? FetchExpression else {
      let parts = try attribute.parts(of: attribute.makeValue(from: value))
      batch.values += parts.map { BatchUpdate.SlotValue(slot: $0.slot, value: $0.value) }
      return
    }
    guard let slot = attribute.slot else {
      throw invalid("“\(attribute.name)” has elements: an expression has one value.")
    }
    let resolved = try resolver.expression(expression, of: entity)
    batch.computed.append(
      BatchUpdate.ComputedSlot(slot: slot, attribute: attribute, expression: resolved))
  }

  private func invalid(_ message: String) -> PersistenceError {
    PersistenceError(.invalidRequest, message, entityName: request.entityName)
  }
}

extension EntityDescription {
  /// Returns the stored attribute that a batch request sets.
  ///
  /// - Throws: `unknownKey` (B277), `invalidRequest` for a property that is not a stored attribute.
  func batchAttribute(named name: String) throws(PersistenceError) -> AttributeDescription {
    guard let property = propertiesByName[name] else {
      throw PersistenceError(
        .unknownKey, "“\(self.name ?? "")” has no property “\(name)”.", entityName: self.name,
        key: name)
    }
    guard let attribute = property as? AttributeDescription, attribute.isStored else {
      throw PersistenceError(
        .invalidRequest,
        "A batch request sets attributes that are stored; “\(name)” is none.",
        entityName: self.name, key: name)
    }
    return attribute
  }
}

extension ManagedObjectContext {
  /// The author and context name of a save, read when it is written (B290).
  var origin: StoreChangeSet.Origin {
    StoreChangeSet.Origin(author: transactionAuthor, contextName: name)
  }
}
