// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

/// Resolves a program's request for stores: names are looked up in the model, constants are converted to the type
/// they are compared with, objects become IDs, and invalid requests are refused.
///
/// Stores only get resolved requests, so that no store refuses a request that another one accepts.
///
/// ```swift
/// let resolved = try RequestResolver(model: model).resolve(request)
/// ```
public struct RequestResolver {
  /// The model, in use.
  public let model: ManagedObjectModel
  /// The value of `now()`, the same everywhere in a request.
  public var now: Date
  /// Returns the value at a key path of an object in the condition itself, as in `source IN %@.follows`; nil refuses
  /// such conditions.
  public var objectValue: ((ObjectID, [String]) throws -> Value)?

  /// Whether a number for a string attribute is compared by its text, as Core Data's SQLite store does.
  package var comparesByAffinity = false

  /// The shapes of requests that were resolved before; nil to resolve each request anew.
  package var known: ResolvedRequests?

  /// Makes a resolver.
  ///
  /// - Parameters:
  ///   - model: The model, in use.
  ///   - now: The value of `now()`.
  public init(model: ManagedObjectModel, now: Date = Date()) {
    self.model = model
    self.now = now
  }

  /// Resolves a request.
  ///
  /// - Throws: `unknownEntity`, `unknownKey` with the key and the entity, `invalidValue` for a constant of another
  ///   type than its attribute, `invalidPredicate` for an invalid pattern, `limitExceeded` for a request that is
  ///   nested too deep, `invalidRequest` for all other contradictions.
  /// - Complexity: O(*n*) in the size of the request.
  public func resolve<Result>(_ request: FetchRequest<Result>) throws -> ResolvedFetch {
    if let fetch = known?.fetch(for: request) { return fetch }
    return try resolve(request.criteria)
  }

  /// Resolves a request as one for dictionaries, whatever its result type.
  ///
  /// - Throws: The errors of resolving a request.
  public func resolveColumns<Result>(_ request: FetchRequest<Result>) throws -> ResolvedFetch {
    var criteria = request.criteria
    criteria.resultType = .dictionaryResultType
    return try resolve(criteria)
  }

  /// Resolves what a request says.
  ///
  /// - Throws: The errors of resolving a request.
  public func resolve(_ criteria: FetchCriteria) throws -> ResolvedFetch {
    guard let known else { return try resolveAnew(criteria) }
    return try known.resolve(criteria, by: self)
  }

  /// Resolves criteria without the cache.
  func resolveAnew(_ criteria: FetchCriteria) throws -> ResolvedFetch {
    let entity = try entity(of: criteria)
    try check(criteria)
    var fetch = ResolvedFetch(
      entity: entity, entities: Self.entities(entity, criteria),
      predicate: try criteria.predicate.flatMap { try condition($0, of: entity) },
      sort: try sort(criteria.sortDescriptors ?? [], of: entity),
      limit: criteria.fetchLimit == 0 ? nil : criteria.fetchLimit, offset: criteria.fetchOffset)
    switch criteria.resultType {
    case .managedObjectIDResultType: fetch.result = .keys
    case .countResultType: fetch.result = .count
    case .dictionaryResultType:
      let columns = ColumnResolver(resolver: self, entity: entity, criteria: criteria)
      let (resolved, sort) = try columns.resolve(fetch.sort)
      fetch.result = .columns(resolved)
      fetch.sort = sort
    default:
      // Partial faults are only a hint, but an invalid one is an error all the same (B132).
      try ColumnResolver(resolver: self, entity: entity, criteria: criteria).checkPartialFaults()
    }
    return fetch
  }

  /// Returns the relationships to prefetch, step by step for each key path.
  ///
  /// - Throws: `unknownKey` for a step that is not a relationship.
  public func prefetchPaths(
    _ keyPaths: [String], of entity: EntityDescription
  ) throws -> [[RelationshipDescription]] {
    try keyPaths.map { keyPath in
      var current = entity
      return try keyPath.split(separator: ".", omittingEmptySubsequences: false).map { step in
        guard let relationship = current.relationshipsByName[String(step)],
          let destination = relationship.destinationEntity
        else {
          throw PersistenceError(
            .unknownKey, "“\(current.name ?? "")” has no relationship “\(step)” to prefetch.",
            entityName: current.name, key: String(step))
        }
        current = destination
        return relationship
      }
    }
  }

  // MARK: Parts

  /// Returns the entity of a request: the model's own description.
  ///
  /// - Throws: `unknownEntity` when the model does not have it, `invalidRequest` when there is none.
  public func entity(of criteria: FetchCriteria) throws -> EntityDescription {
    guard let name = criteria.templateEntityName else {
      throw PersistenceError(.invalidRequest, "The request has no entity.")
    }
    guard let entity = model.entitiesByName[name],
      criteria.entity == nil || criteria.entity === entity
    else {
      throw PersistenceError(
        .unknownEntity, "The model has no entity “\(name)”.", entityName: name)
    }
    return entity
  }

  private static func entities(
    _ entity: EntityDescription, _ criteria: FetchCriteria
  ) -> [EntityDescription] {
    if criteria.includesSubentities { return entity.concreteEntities }
    return entity.isAbstract ? [] : [entity]
  }

  private func check(_ criteria: FetchCriteria) throws {
    if let refused = criteria.refusedKeyPaths.first { throw refused.error }
    guard criteria.fetchLimit >= 0, criteria.fetchOffset >= 0, criteria.fetchBatchSize >= 0 else {
      throw invalid("limit, offset and batch size are not negative", criteria)
    }
    guard !criteria.namedColumnsTooEarly else {
      throw invalid("set the entity before the properties to fetch", criteria)
    }
    let known: [FetchRequestResultType] = [
      .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType,
      .countResultType,
    ]
    guard known.contains(criteria.resultType) else {
      throw invalid("the result type is one of four, no combination", criteria)
    }
    let isGrouped = !(criteria.propertiesToGroupBy ?? []).isEmpty
    guard !isGrouped || criteria.resultType == .dictionaryResultType else {
      throw invalid("only dictionaries can be grouped", criteria)
    }
    guard criteria.havingPredicate == nil || isGrouped else {
      throw invalid("a condition on groups needs properties to group by", criteria)
    }
  }

  func invalid(_ message: String, _ criteria: FetchCriteria) -> PersistenceError {
    PersistenceError(.invalidRequest, message, entityName: criteria.templateEntityName)
  }
}
