// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostCoordinator
public import RoostModel
public import RoostQuery

// The steps of a fetch: process pending changes, resolve, query, materialize, overlay unsaved changes.
extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// ```swift
  /// let adults = try context.fetch(Person.where { $0.age >= 18 }.sorted(by: \.name).limit(10))
  /// ```
  /// With a `fetchBatchSize` the array has faults. When a value of one is needed, a batch of them is read; the same
  /// applies to the destinations of their relationships. `fetchBatches` does not keep all objects in memory.
  /// With `propertiesToFetch` the array has faults with these properties only; reading another property reads the
  /// whole rows of all of them.
  ///
  /// - Parameter request: The request, for objects of `T`.
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownKey`, `invalidRequest`, or an error of a
  ///   store.
  /// - Complexity: One query for each affected store, one more for each prefetched relationship step, plus O(*p*) for
  ///   *p* pending changes of the entity. A request across relationships to changed objects reads all rows of the
  ///   entity, because any of them may match by now.
  @_disfavoredOverload
  public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws -> [T] {
    checkQueue()
    return try ManagedObjectContext.typed(fetcher.fetchObjects(request))
  }

  /// Returns the objects as instances of the requested class.
  package static func typed<T: ManagedObject>(_ objects: [ManagedObject]) throws -> [T] {
    var knownClass: ManagedObject.Type?
    for object in objects {
      let objectClass = Swift.type(of: object)
      if objectClass != knownClass {
        guard object is T else { throw ManagedObjectContext.wrongClass(object, wanted: T.self) }
        knownClass = objectClass
      }
    }
    // Every element is a T, so the array can be reinterpreted; copying it would count a reference of each.
    return unsafeBitCast(objects, to: [T].self)
  }

  static func wrongClass(
    _ object: ManagedObject, wanted: Any.Type
  ) -> PersistenceError {
    PersistenceError(
      .invalidRequest,
      "The request asks for \(wanted), but the class of \(object.entity.name ?? "") is "
        + "\(Swift.type(of: object)).", entityName: object.entity.name)
  }

  /// Returns the IDs of the objects that match a request; no object is registered.
  ///
  /// - Throws: As `fetch`.
  @_disfavoredOverload
  public func fetch(_ request: FetchRequest<ObjectID>) throws -> [ObjectID] {
    checkQueue()
    return try fetcher.fetchIDs(request)
  }

  /// Returns dictionaries of the request's columns, or of all attributes; unsaved changes are not included.
  ///
  /// - Throws: As `fetch`, and `invalidRequest` for columns that cannot be combined.
  /// - Complexity: One query for each affected store.
  @_disfavoredOverload
  public func fetch(_ request: FetchRequest<[String: Any]>) throws -> [[String: Any]] {
    checkQueue()
    return try fetcher.fetchDictionaries(request)
  }

  /// Returns the number of objects that `fetch` would return.
  ///
  /// - Throws: As `fetch`.
  /// - Complexity: One query for each affected store; pending changes of the entity are evaluated in memory.
  @_disfavoredOverload
  public func count<T>(for request: FetchRequest<T>) throws -> Int {
    processPendingChanges()
    var resolved = try fetcher.resolve(request)
    let isOfObjects = if case .columns = resolved.result { false } else { true }
    if isOfObjects, request.includesPendingChanges,
      let overlay = try fetcher.overlay(for: resolved, request)
    {
      return try overlay.objects().count
    }
    if case .columns(let columns) = resolved.result, columns.isAggregated || columns.distinct {
      return try fetcher.fetchTuples(resolved, for: request).count
    }
    resolved.askForCount()
    guard case .count(let count) = try fetcher.ask(resolved, for: request) else { return 0 }
    return count
  }

  /// Implements `explain(_:)`.
  package func makeExplanation<T>(of request: FetchRequest<T>) throws -> RequestPlan {
    checkQueue()
    let resolved = try fetcher.resolve(request)
    return RequestPlan(
      stores: try coordinator().explain(fetcher.coordinatorFetch(resolved, for: request)))
  }
}

extension ManagedObject: FetchRequestResult {}
