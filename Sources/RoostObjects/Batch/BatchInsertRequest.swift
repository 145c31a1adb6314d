// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostStore

/// An insertion of many records into a store, past the contexts: no object is registered, nothing is validated, no hook
/// and no notification runs. Defaults are applied. Where a value that must be unique is taken, the record that
/// has it gets the values that the request gives, and keeps its others and its relationships.
///
/// ```swift
/// let request = BatchInsertRequest(entityName: "City", objects: rows)
/// request.resultType = .objectIDs
/// let ids = try context.execute(request).objectIDs
/// ```
public final class BatchInsertRequest: ExecutableRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity; nil for a request that was made with a name.
  public let entity: EntityDescription?
  /// The records, values by the names of attributes; nil when a handler makes them.
  public var objectsToInsert: [[String: Any]]?
  /// Fills one dictionary after the other until it returns true; that last one is not inserted.
  public var dictionaryHandler: ((inout [String: Any]) -> Bool)?
  /// Fills one object after the other until it returns true; that last one is not inserted. The object belongs to no
  /// context: only the attributes that the handler sets count.
  public var managedObjectHandler: ((ManagedObject) -> Bool)?
  /// What the result tells.
  public var resultType = BatchInsertRequestResultType.statusOnly
  /// The UUIDs of the stores that may take the records; the first of them, or of all, that holds the entity and can be
  /// written does.
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

  /// Makes a request of dictionaries.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: Values by the names of attributes.
  public convenience init(entityName: String, objects: [[String: Any]]) {
    self.init(entityName, nil)
    objectsToInsert = objects
  }

  /// Makes a request of dictionaries.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - objects: Values by the names of attributes.
  public convenience init(entity: EntityDescription, objects: [[String: Any]]) {
    self.init(entity.name ?? "", entity)
    objectsToInsert = objects
  }

  /// Makes a request of a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - dictionaryHandler: Fills an empty dictionary, or returns true when there is nothing more.
  @_disfavoredOverload
  public convenience init(
    entityName: String, dictionaryHandler: @escaping (inout [String: Any]) -> Bool
  ) {
    self.init(entityName, nil)
    self.dictionaryHandler = dictionaryHandler
  }

  /// Makes a request of a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - dictionaryHandler: Fills an empty dictionary, or returns true when there is nothing more.
  @_disfavoredOverload
  public convenience init(
    entity: EntityDescription, dictionaryHandler: @escaping (inout [String: Any]) -> Bool
  ) {
    self.init(entity.name ?? "", entity)
    self.dictionaryHandler = dictionaryHandler
  }

  /// Makes a request of a handler that fills objects.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - managedObjectHandler: Fills an object with default values, or returns true when there is nothing more.
  public convenience init(
    entityName: String, managedObjectHandler: @escaping (ManagedObject) -> Bool
  ) {
    self.init(entityName, nil)
    self.managedObjectHandler = managedObjectHandler
  }

  /// Makes a request of a handler that fills objects.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - managedObjectHandler: Fills an object with default values, or returns true when there is nothing more.
  public convenience init(
    entity: EntityDescription, managedObjectHandler: @escaping (ManagedObject) -> Bool
  ) {
    self.init(entity.name ?? "", entity)
    self.managedObjectHandler = managedObjectHandler
  }

  private init(_ entityName: String, _ entity: EntityDescription?) {
    self.entityName = entityName
    self.entity = entity
  }

  /// ``PersistentStoreRequestType/batchInsertRequestType``.
  public var requestType: PersistentStoreRequestType { .batchInsertRequestType }

  /// Inserts the records.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `abstractEntity`, `unknownKey` for a name that the
  ///   entity does not have, `invalidValue` for a value that an attribute cannot have, `invalidRequest` for a
  ///   relationship, `managedObjectConstraintMerge` when two stored records have the values of one new one, `noStore`,
  ///   `readOnlyStore`, or what a store throws. Nothing is inserted then.
  /// - Complexity: One round trip, and one more whenever unique values turn out to be taken. All records are in memory
  ///   until they are written in one transaction.
  public func execute(in context: ManagedObjectContext) throws -> BatchInsertResult {
    context.checkQueue()
    let batch = try BatchInsertResolution(request: self, context: context).resolve()
    let answer = try context.fetcher.batch { try $0.insert(batch) }
    return BatchInsertResult(
      resultType: resultType, content: BatchResultContent(answer, kind: resultType.rawValue))
  }
}

/// What a batch insert tells, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .objectIDs
/// let ids = try context.execute(request).objectIDs
/// ```
public enum BatchInsertRequestResultType: UInt, Sendable, Hashable {
  /// That it was done.
  case statusOnly = 0
  /// The IDs of the records, inserted or updated.
  case objectIDs = 1
  /// The number of records, inserted or updated.
  case count = 2
}

/// What a batch insert did.
///
/// ```swift
/// let ids = try context.execute(request).objectIDs
/// ```
public final class BatchInsertResult: PersistentStoreResult {
  /// What was asked for.
  public let resultType: BatchInsertRequestResultType
  private let content: BatchResultContent

  init(resultType: BatchInsertRequestResultType, content: BatchResultContent) {
    self.resultType = resultType
    self.content = content
  }

  /// `true`, an array of ``ObjectID``, or an `Int`, by the result type.
  public var result: Any? { content.result }
  /// The IDs of the records, in the order of the request; nil unless they were asked for.
  @_disfavoredOverload
  package var objectIDs: [ObjectID]? { content.objectIDs }
  /// The number of records; nil when only the status was asked for.
  @_disfavoredOverload
  package var count: Int? { content.count }
}
