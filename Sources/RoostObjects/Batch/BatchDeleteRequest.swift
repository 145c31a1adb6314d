// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostQuery
public import RoostStore

/// A deletion of many records in their stores, bypassing the contexts: it creates and updates no objects, and runs no
/// hooks and no notifications. The stores apply the delete rules cascade and nullify; deny and the minimum counts of
/// relationships are not checked.
///
/// ```swift
/// let request = BatchDeleteRequest(fetchRequest: Note.where { $0.isArchived == true })
/// request.resultType = .resultTypeCount
/// print(try context.execute(request).count ?? 0, "notes removed")
/// ```
public final class BatchDeleteRequest: ExecutableRequest {
  private enum Target {
    case matching(FetchCriteria)
    case objects([ObjectID])
  }

  private let target: Target
  /// The content of the result.
  public var resultType = BatchDeleteRequestResultType.resultTypeStatusOnly
  /// The UUIDs of the affected stores; nil for all that hold the entity.
  public var affectedStoreIdentifiers: [String]? {
    get { affected.identifiers }
    set { affected.identifiers = newValue }
  }
  /// The affected stores; nil for all that hold the entity. Stores removed since they were set, and stores set by
  /// their UUIDs, are not listed.
  ///
  /// ```swift
  /// request.affectedStores = [draftStore]
  /// ```
  @_disfavoredOverload
  public var affectedStores: [any PersistentStore]? {
    get { affected.stores }
    set { affected.stores = newValue }
  }
  package var affected = AffectedStores()

  /// Creates a request for the records that match a fetch request: its predicate, order, offset and limit apply.
  ///
  /// - Parameter fetchRequest: The fetch request, which is copied; later changes of it have no effect.
  public init<Result>(fetchRequest: FetchRequest<Result>) {
    target = .matching(fetchRequest.criteria)
    affected = AffectedStores(identities: fetchRequest.criteria.affectedStoreIdentities)
  }

  /// Creates a request for given records.
  ///
  /// - Parameter objectIDs: Permanent IDs of one entity; other IDs fail when the request is executed.
  public init(objectIDs: [ObjectID]) {
    target = .objects(objectIDs)
  }

  /// The records as a fetch request: a copy of the given one, or one for the IDs.
  public var fetchRequest: FetchRequest<ObjectID> {
    switch target {
    case .matching(var criteria):
      criteria.resultType = .managedObjectIDResultType
      return FetchRequest(criteria)
    case .objects(let ids):
      let request = FetchRequest<ObjectID>()
      request.entityName = ids.first?.entity.name
      let members = ids.map { FetchExpression.constant(.objectID($0)) }
      return request.filter(
        .comparison(ComparisonPredicate(.evaluatedObject, .in, .list(members))))
    }
  }

  /// ``PersistentStoreRequestType/batchDeleteRequestType``.
  public var requestType: PersistentStoreRequestType { .batchDeleteRequestType }

  /// Removes the records.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownKey` or `invalidRequest` for an invalid
  ///   request or IDs of several entities, `readOnlyStore`, `storeRemoved`, or an error of a store. Nothing is
  ///   removed then.
  /// - Complexity: One transaction of a few statements if one SQL database holds the records. Otherwise two round
  ///   trips for each store, and up to two for each relationship of each step of a cascade.
  public func execute(in context: ManagedObjectContext) throws -> BatchDeleteResult {
    context.checkQueue()
    var batch = BatchDelete(target: try resolved(in: context), origin: context.origin)
    batch.wantsIDs = resultType == .resultTypeObjectIDs
    let answer = try context.fetcher.batch { try $0.delete(batch) }
    return BatchDeleteResult(
      resultType: resultType, content: BatchResultContent(answer, kind: resultType.rawValue))
  }

  private func resolved(in context: ManagedObjectContext) throws -> BatchDelete.Target {
    switch target {
    case .matching(var criteria):
      criteria.resultType = .managedObjectResultType
      let fetch = try context.fetcher.requestResolver().resolve(criteria)
      return .matching(
        CoordinatorFetch(
          fetch: fetch, affectedStores: try context.fetcher.stores(named: affectedStoreIdentifiers),
          fillsRowCache: false))
    case .objects(let ids):
      let known = try ids.map { try checked($0, like: ids[0], in: context) }
      let stores = affectedStoreIdentifiers.map(Set.init)
      return .objects(
        known.filter { id in
          stores.map { $0.contains(id.storeIdentity?.identifier ?? "") } ?? true
        })
    }
  }

  private func checked(
    _ id: ObjectID, like first: ObjectID, in context: ManagedObjectContext
  ) throws -> ObjectID {
    let id = id.current
    guard !id.isTemporaryID, id.entity === first.entity,
      try context.fetcher.requiredModel().entitiesByName[id.entity.name ?? ""] === id.entity
    else {
      throw PersistenceError(
        .invalidRequest, "A batch delete takes permanent IDs of one entity of the model.",
        entityName: id.entity.name, objectIDs: [id])
    }
    return id
  }
}

/// The content of a batch delete's result, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .resultTypeCount
/// let removed = try context.execute(request).count
/// ```
public enum BatchDeleteRequestResultType: UInt, Sendable, Hashable {
  /// Only that the request succeeded.
  case resultTypeStatusOnly = 0
  /// The IDs of the records, including those removed by cascade.
  case resultTypeObjectIDs = 1
  /// The number of records, including those removed by cascade.
  case resultTypeCount = 2
}

/// The result of a batch delete.
///
/// ```swift
/// let removed = try context.execute(request).count
/// ```
public final class BatchDeleteResult: PersistentStoreResult {
  /// The result type of the request.
  public let resultType: BatchDeleteRequestResultType
  private let content: BatchResultContent

  init(resultType: BatchDeleteRequestResultType, content: BatchResultContent) {
    self.resultType = resultType
    self.content = content
  }

  /// `true`, an array of ``ObjectID``, or an `Int`, by the result type.
  public var result: Any? { content.result }
  /// The IDs of the records; nil unless the result type asks for them.
  @_disfavoredOverload
  package var objectIDs: [ObjectID]? { content.objectIDs }
  /// The number of records; nil when the result type asks for the status only.
  @_disfavoredOverload
  package var count: Int? { content.count }
}
