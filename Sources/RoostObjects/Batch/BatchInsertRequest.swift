// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostStore

/// An insertion of many records into a store, bypassing the contexts: no object is registered, nothing is validated,
/// no hooks and no notifications run. Defaults are applied. When a unique value is taken already, the existing record
/// is updated with the values of the request, and keeps its other values and its relationships.
///
/// ```swift
/// let request = BatchInsertRequest(entityName: "City", objects: rows)
/// request.resultType = .objectIDs
/// let ids = try context.execute(request).objectIDs
/// ```
public final class BatchInsertRequest: ExecutableRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity; nil for a request created with a name.
  public let entity: EntityDescription?
  /// The records, as values by attribute name; nil when a handler creates them.
  public var objectsToInsert: [[String: Any]]?
  /// Fills one dictionary after the other until it returns true; the last one is not inserted.
  public var dictionaryHandler: ((inout [String: Any]) -> Bool)?
  /// Fills one object after the other until it returns true; the last one is not inserted. The object has no context:
  /// only the attributes that the handler sets are used.
  public var managedObjectHandler: ((ManagedObject) -> Bool)?
  /// The content of the result.
  public var resultType = BatchInsertRequestResultType.statusOnly
  /// The UUIDs of the stores that may take the records. The first of them, or of all stores, that holds the entity
  /// and is writable is used.
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

  /// Creates a request with dictionaries.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: Values by attribute name.
  public convenience init(entityName: String, objects: [[String: Any]]) {
    self.init(entityName, nil)
    objectsToInsert = objects
  }

  /// Creates a request with dictionaries.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - objects: Values by attribute name.
  public convenience init(entity: EntityDescription, objects: [[String: Any]]) {
    self.init(entity.name ?? "", entity)
    objectsToInsert = objects
  }

  /// Creates a request with a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - dictionaryHandler: Fills an empty dictionary, or returns true when there are no more records.
  @_disfavoredOverload
  public convenience init(
    entityName: String, dictionaryHandler: @escaping (inout [String: Any]) -> Bool
  ) {
    self.init(entityName, nil)
    self.dictionaryHandler = dictionaryHandler
  }

  /// Creates a request with a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - dictionaryHandler: Fills an empty dictionary, or returns true when there are no more records.
  @_disfavoredOverload
  public convenience init(
    entity: EntityDescription, dictionaryHandler: @escaping (inout [String: Any]) -> Bool
  ) {
    self.init(entity.name ?? "", entity)
    self.dictionaryHandler = dictionaryHandler
  }

  /// Creates a request with a handler that fills objects.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - managedObjectHandler: Fills an object with default values, or returns true when there are no more records.
  public convenience init(
    entityName: String, managedObjectHandler: @escaping (ManagedObject) -> Bool
  ) {
    self.init(entityName, nil)
    self.managedObjectHandler = managedObjectHandler
  }

  /// Creates a request with a handler that fills objects.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - managedObjectHandler: Fills an object with default values, or returns true when there are no more records.
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
  ///   relationship, `managedObjectConstraintMerge` when two stored records have the unique values of one new one,
  ///   `noStore`, `readOnlyStore`, or an error of a store. Nothing is inserted then.
  /// - Complexity: One round trip, and one more each time unique values turn out to be taken. All records are in
  ///   memory until they are written in one transaction.
  public func execute(in context: ManagedObjectContext) throws -> BatchInsertResult {
    context.checkQueue()
    let batch = try BatchInsertResolution(request: self, context: context).resolve()
    let answer = try context.fetcher.batch { try $0.insert(batch) }
    return BatchInsertResult(
      resultType: resultType, content: BatchResultContent(answer, kind: resultType.rawValue))
  }
}

/// The content of a batch insert's result, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .objectIDs
/// let ids = try context.execute(request).objectIDs
/// ```
public enum BatchInsertRequestResultType: UInt, Sendable, Hashable {
  /// Only that the request succeeded.
  case statusOnly = 0
  /// The IDs of the records, inserted or updated.
  case objectIDs = 1
  /// The number of records, inserted or updated.
  case count = 2
}

/// The result of a batch insert.
///
/// ```swift
/// let ids = try context.execute(request).objectIDs
/// ```
public final class BatchInsertResult: PersistentStoreResult {
  /// The result type of the request.
  public let resultType: BatchInsertRequestResultType
  private let content: BatchResultContent

  init(resultType: BatchInsertRequestResultType, content: BatchResultContent) {
    self.resultType = resultType
    self.content = content
  }

  /// `true`, an array of ``ObjectID``, or an `Int`, by the result type.
  public var result: Any? { content.result }
  /// The IDs of the records, in the order of the request; nil unless the result type asks for them.
  @_disfavoredOverload
  package var objectIDs: [ObjectID]? { content.objectIDs }
  /// The number of records; nil when the result type asks for the status only.
  @_disfavoredOverload
  package var count: Int? { content.count }
}
