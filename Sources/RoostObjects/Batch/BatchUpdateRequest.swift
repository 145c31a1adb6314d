// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostQuery
public import RoostStore

/// A change of many records in their stores, past the contexts: no object is made or told, nothing is validated, no
/// hook and no notification runs. Objects that are in memory keep what they have until they are refreshed, or
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
  /// The entity; nil for a request that was made with a name.
  public let entity: EntityDescription?
  /// Which records; nil for all. Other than Core Data's it may lead through relationships.
  public var predicate: FetchPredicate?
  /// Whether records of subentities are changed too; true unless set.
  public var includesSubentities = true
  /// The new values by the names of the attributes, or by their descriptions: constants, nil as `NSNull`, or
  /// ``FetchExpression`` over the record as it was.
  @_disfavoredOverload
  public var propertiesToUpdate: [AnyHashable: Any]?
  /// What the result tells.
  public var resultType = BatchUpdateRequestResultType.statusOnlyResultType
  /// The UUIDs of the stores that are asked; nil for all that hold the entity.
  public var affectedStoreIdentifiers: [String]? {
    get { affected.identifiers }
    set { affected.identifiers = newValue }
  }
  /// The stores that are asked; nil for all that hold the entity. Stores that were removed since they were set, and
  /// those that were named by their UUIDs, are not listed.
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

  /// Makes a request for an entity that is looked up by its name when the request is executed.
  ///
  /// - Parameter entityName: The name of the entity.
  public init(entityName: String) {
    self.entityName = entityName
    entity = nil
  }

  /// Makes a request for an entity.
  ///
  /// - Parameter entity: An entity of the model.
  public init(entity: EntityDescription) {
    entityName = entity.name ?? ""
    self.entity = entity
  }

  /// ``PersistentStoreRequestType/batchUpdateRequestType``.
  public var requestType: PersistentStoreRequestType { .batchUpdateRequestType }

  /// Changes the records.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownKey` for a name that the entity does not have,
  ///   `invalidValue` for a value that an attribute cannot have, `invalidRequest` for a relationship,
  ///   `managedObjectConstraintMerge` when a value that must be unique is taken, `readOnlyStore`, or what a store
  ///   throws. Nothing is changed then.
  /// - Complexity: One statement where one SQL database holds the records and means by the condition and the
  ///   expressions what they mean elsewhere. Else two round trips a store; the records that match are read and written
  ///   in one transaction.
  public func execute(in context: ManagedObjectContext) throws -> BatchUpdateResult {
    context.checkQueue()
    var batch = try BatchUpdateResolution(request: self, context: context).resolve()
    batch.wantsIDs = resultType == .updatedObjectIDsResultType
    let answer = try context.fetcher.batch { try $0.update(batch) }
    return BatchUpdateResult(
      resultType: resultType, content: BatchResultContent(answer, kind: resultType.rawValue))
  }
}

/// What a batch update tells, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .updatedObjectsCountResultType
/// let changed = try context.execute(request).count
/// ```
public enum BatchUpdateRequestResultType: UInt, Sendable, Hashable {
  /// That it was done.
  case statusOnlyResultType = 0
  /// The IDs of the records.
  case updatedObjectIDsResultType = 1
  /// The number of records.
  case updatedObjectsCountResultType = 2
}

/// What a batch update did.
///
/// ```swift
/// let ids = try context.execute(request).objectIDs ?? []
/// ```
public final class BatchUpdateResult: PersistentStoreResult {
  /// What was asked for.
  public let resultType: BatchUpdateRequestResultType
  private let content: BatchResultContent

  init(resultType: BatchUpdateRequestResultType, content: BatchResultContent) {
    self.resultType = resultType
    self.content = content
  }

  /// `true`, an array of ``ObjectID``, or an `Int`, by the result type.
  public var result: Any? { content.result }
  /// The IDs of the records; nil unless they were asked for.
  @_disfavoredOverload
  package var objectIDs: [ObjectID]? { content.objectIDs }
  /// The number of records; nil when only the status was asked for.
  @_disfavoredOverload
  package var count: Int? { content.count }
}

extension BatchUpdateRequest {
  /// The new values, for the product of Core Data's names, where expressions are Foundation's.
  package var ownProperties: [AnyHashable: Any]? {
    get { propertiesToUpdate }
    set { propertiesToUpdate = newValue }
  }
}
