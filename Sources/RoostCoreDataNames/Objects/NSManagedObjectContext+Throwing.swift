// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery
import RoostSQLite

// Methods that throw `NSError`, so that `catch let error as NSError` matches: outside of Apple's systems, no other
// error can be cast to it.
extension ManagedObjectContext {
  /// Writes all changes to their stores.
  ///
  /// - Throws: `NSError` with Core Data's domain, numbers and keys.
  public func save() throws {
    try asFoundation(in: self) { try bridge.saveChanges() }
  }

  /// Returns the objects that match a request.
  ///
  /// - Throws: `NSError`.
  public func fetch<T: ManagedObject>(_ request: NSFetchRequest<T>) throws -> [T] {
    try asFoundation { try bridge.found(by: request) }
  }

  /// Returns the IDs of the objects that match a request.
  ///
  /// - Throws: `NSError`.
  public func fetch(_ request: NSFetchRequest<NSManagedObjectID>) throws -> [NSManagedObjectID] {
    try asFoundation { try bridge.found(by: request) }
  }

  /// Returns dictionaries of the request's columns.
  ///
  /// - Throws: `NSError`.
  public func fetch(_ request: NSFetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try asFoundation { try bridge.found(by: request) }
  }

  /// Returns dictionaries of the request's columns.
  ///
  /// - Throws: `NSError`.
  public func fetch(_ request: NSFetchRequest<NSDictionary>) throws -> [NSDictionary] {
    var criteria = request.criteria
    criteria.resultType = .dictionaryResultType
    let columns = FetchRequest<[String: Any]>(criteria)
    return try asFoundation { try bridge.found(by: columns) }.map { $0 as NSDictionary }
  }

  /// Returns the number of objects that match, in an array of one.
  ///
  /// - Throws: `NSError`.
  public func fetch(_ request: NSFetchRequest<NSNumber>) throws -> [NSNumber] {
    [NSNumber(value: try asFoundation { try bridge.number(of: request) })]
  }

  /// Returns the number of objects that match.
  ///
  /// - Throws: `NSError`.
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    try asFoundation { try bridge.number(of: request) }
  }

  /// Returns the object with an ID, with its values loaded.
  ///
  /// - Throws: `NSError` with code `NSManagedObjectReferentialIntegrityError` when the record does not exist.
  public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try asFoundation { try bridge.readObject(with: objectID) }
  }

  /// Gives new objects their permanent IDs before they are saved.
  ///
  /// - Throws: `NSError`.
  public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try asFoundation { try bridge.makePermanent(objects) }
  }
}

extension ManagedObjectContext {
  /// Pins the context to a snapshot.
  ///
  /// - Throws: `NSError`.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try asFoundation { try bridge.pin(to: generation) }
  }
}

/// Runs work, and throws its errors as `NSError`.
func asFoundation<T>(
  in context: ManagedObjectContext? = nil, _ body: () throws -> T
) throws -> T {
  do {
    return try body()
  } catch {
    throw thrownError(error, in: context)
  }
}

/// Returns an error in the form that Core Data's methods throw: the error of a validation override unchanged, so that
/// it can be caught by its type, any other error as an `NSError`.
private func thrownError(
  _ error: any Error, in context: ManagedObjectContext?
) -> any Error {
  if let own = ownError(in: error) { return own }
  return foundationError(error, in: context)
}

/// Returns the error that a validation override threw.
private func ownError(in error: any Error) -> (any Error)? {
  guard let error = error as? PersistenceError, error.code == .managedObjectValidation else {
    return nil
  }
  return error.underlying
}

/// Returns an error with Core Data's domain, code and keys; the error of a validation override as an `NSError`.
func foundationError(
  _ error: any Error, in context: ManagedObjectContext? = nil
) -> NSError {
  guard let error = error as? PersistenceError else { return error as NSError }
  if let own = ownError(in: error) { return own as NSError }
  var userInfo = error.errorUserInfo
  userInfo[NSUnderlyingErrorKey] = error
  if !error.underlyingErrors.isEmpty {
    userInfo[PersistenceError.detailedErrorsKey] = error.underlyingErrors.map {
      foundationError($0, in: context)
    }
  }
  userInfo[NSSQLiteErrorDomain] = sqliteCode(of: error)
  if let format = error.predicateFormat,
    let predicate = try? FetchPredicate(format: format, argumentArray: [])
  {
    userInfo[PersistenceError.validationPredicateKey] = FetchConditions.predicate(of: predicate)
  }
  if let context { name(objectsOf: error, in: context, &userInfo) }
  return NSError(domain: PersistenceError.errorDomain, code: number(of: error), userInfo: userInfo)
}

/// Returns the code under which programs know an error: for codes of Roost's own, that of Foundation or Core Data.
private func number(of error: PersistenceError) -> Int {
  switch error.code {
  case .readOnlyStore: CocoaError.Code.fileWriteNoPermission.rawValue
  case .storeRemoved: NSManagedObjectReferentialIntegrityError
  default: error.errorCode
  }
}

/// Returns the result code of the SQLite error that caused an error.
private func sqliteCode(of error: PersistenceError) -> Int? {
  var cause = error.underlying
  while let next = (cause as? PersistenceError)?.underlying { cause = next }
  return (cause as? SQLiteError).map { Int($0.code) }
}

/// Adds the objects and conflicts of an error under Core Data's keys.
private func name(
  objectsOf error: PersistenceError, in context: ManagedObjectContext,
  _ userInfo: inout [String: Any]
) {
  if let id = error.objectIDs.first, let object = context.registeredObject(for: id) {
    userInfo[PersistenceError.validationObjectKey] = object
  }
  if !error.objectIDs.isEmpty {
    userInfo[PersistenceError.affectedObjectsKey] = error.objectIDs.compactMap {
      context.registeredObject(for: $0)
    }
  }
  let conflicts = error.conflicts(in: context)
  if !conflicts.isEmpty { userInfo[NSPersistentStoreSaveConflictsErrorKey] = conflicts as [Any] }
}
