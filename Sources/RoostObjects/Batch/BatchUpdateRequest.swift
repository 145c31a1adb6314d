// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostQuery
public import RoostStore

/// An update of many records in their stores, bypassing the contexts: it creates and updates no objects, validates
/// nothing, and runs no hooks and no notifications. Objects in memory keep their values until they are refreshed, or
/// until the IDs of the result are merged into their contexts.
///
/// ```swift
/// let request = BatchUpdateRequest(entityName: "Person")
/// request.predicate = try FetchPredicate("lastSeen < %@", limit)
/// request.propertiesToUpdate = ["isActive": false, "warnings": try FetchExpression(format: "warnings + 1")]
/// try context.execute(request)
/// ```
public final class BatchUpdateRequest: ExecutableRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity; nil for a request created with a name.
  public let entity: EntityDescription?
  /// The condition on the records; nil for all. Unlike Core Data's it may lead through relationships.
  public var predicate: FetchPredicate?
  /// Whether records of subentities are updated, too; true unless set.
  public var includesSubentities = true
  /// The new values, keyed by attribute names or descriptions: constants, `NSNull` for nil, or a ``FetchExpression``
  /// over the record before the update.
  @_disfavoredOverload
  public var propertiesToUpdate: [AnyHashable: Any]?
  /// The content of the result.
  public var resultType = BatchUpdateRequestResultType.statusOnlyResultType
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

  /// Creates a request for an entity that is looked up by name when the request is executed.
  ///
  /// - Parameter entityName: The name of the entity.
  public init(entityName: String) {
    self.entityName = entityName
    entity = nil
  }

  /// Creates a request for an entity.
  ///
  /// - Parameter entity: An entity of the model.
  public init(entity: EntityDescription) {
    entityName = entity.name ?? ""
    self.entity = entity
  }

  /// ``PersistentStoreRequestType/batchUpdateRequestType``.
  public var requestType: PersistentStoreRequestType { .batchUpdateRequestType }

  /// Updates the records.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownKey` for a name that the entity does not have,
  ///   `invalidValue` for a value that an attribute cannot have, `invalidRequest` for a relationship,
  ///   `managedObjectConstraintMerge` when a unique value is taken, `readOnlyStore`, or an error of a store. Nothing
  ///   is changed then.
  /// - Complexity: One statement if one SQL database holds the records and evaluates the condition and the
  ///   expressions exactly as the other stores do. Otherwise two round trips for each store; the matching records are
  ///   read and written in one transaction.
  public func execute(in context: ManagedObjectContext) throws -> BatchUpdateResult {
    context.checkQueue()
    var batch = try BatchUpdateResolution(request: self, context: context).resolve()
    batch.wantsIDs = resultType == .updatedObjectIDsResultType
    let answer = try context.fetcher.batch { try $0.update(batch) }
    return BatchUpdateResult(
      resultType: resultType, content: BatchResultContent(answer, kind: resultType.rawValue))
  }
}

/// The content of a batch update's result, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .updatedObjectsCountResultType
/// let changed = try context.execute(request).count
/// ```
public enum BatchUpdateRequestResultType: UInt, Sendable, Hashable {
  /// Only that the request succeeded.
  case statusOnlyResultType = 0
  /// The IDs of the records.
  case updatedObjectIDsResultType = 1
  /// The number of records.
  case updatedObjectsCountResultType = 2
}

/// The result of a batch update.
///
/// ```swift
/// let ids = try context.execute(request).objectIDs ?? []
/// ```
public final class BatchUpdateResult: PersistentStoreResult {
  /// The result type of the request.
  public let resultType: BatchUpdateRequestResultType
  private let content: BatchResultContent

  init(resultType: BatchUpdateRequestResultType, content: BatchResultContent) {
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

extension BatchUpdateRequest {
  /// The new values, for the product with Core Data's names, where expressions are Foundation's.
  package var ownProperties: [AnyHashable: Any]? {
    get { propertiesToUpdate }
    set { propertiesToUpdate = newValue }
  }
}
