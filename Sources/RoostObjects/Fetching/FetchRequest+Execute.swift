// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

// Core Data's short form: it uses the context on whose queue the caller runs (B139).
extension FetchRequest where ResultType: ManagedObject {
  /// Returns the objects that match, from the context on whose queue this is called.
  ///
  /// ```swift
  /// let people = try context.performAndWait { try Person.fetchRequest().execute().count }
  /// ```
  /// - Throws: ``PersistenceError`` with code `invalidRequest` outside of a closure run by a context's `perform` or
  ///   `performAndWait`, and the errors of ``ManagedObjectContext/fetch(_:)-(FetchRequest<T>)``.
  /// - Complexity: As that method.
  @_disfavoredOverload
  public func execute() throws -> [ResultType] {
    try ManagedObjectContext.ofCurrentQueue().fetch(self)
  }
}

extension FetchRequest<ObjectID> {
  /// Returns the IDs of the objects that match, from the context on whose queue this is called.
  ///
  /// - Throws: As the form for objects.
  @_disfavoredOverload
  public func execute() throws -> [ObjectID] {
    try ManagedObjectContext.ofCurrentQueue().fetch(self)
  }
}

extension FetchRequest<[String: Any]> {
  /// Returns dictionaries of the columns, from the context on whose queue this is called.
  ///
  /// - Throws: As the form for objects.
  @_disfavoredOverload
  public func execute() throws -> [[String: Any]] {
    try ManagedObjectContext.ofCurrentQueue().fetch(self)
  }
}

extension ManagedObjectContext {
  /// Returns the context on whose queue the caller runs.
  ///
  /// - Throws: `invalidRequest` when the caller is on no context's queue.
  package static func ofCurrentQueue() throws -> ManagedObjectContext {
    guard let context = ContextQueue.currentContext else {
      throw PersistenceError(
        .invalidRequest,
        "A request is executed on the queue of a context: call this in its perform or performAndWait,"
          + " or use the context's fetch.")
    }
    return context
  }
}
