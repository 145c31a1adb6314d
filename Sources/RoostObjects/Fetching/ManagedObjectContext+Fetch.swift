// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostCoordinator
public import RoostModel
public import RoostQuery
import RoostStore

// The story of a fetch: settle, resolve, ask, materialize, lay the unsaved changes over it.
extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// ```swift
  /// let adults = try context.fetch(Person.where { $0.age >= 18 }.sorted(by: \.name).limit(10))
  /// ```
  /// With a `fetchBatchSize` the array has faults that are read a batch at a time, when a value of one is needed, and
  /// so are the destinations of their relationships; ``fetchBatches(_:)`` does not keep all of them. With
  /// `propertiesToFetch` the array has faults that know these properties; reading another one reads the whole rows of
  /// all of them.
  ///
  /// - Parameter request: What is asked, for objects of `T`.
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownKey`, `invalidRequest`, or what a store throws.
  /// - Complexity: One query for each affected store, one more for each prefetched relationship step, plus O(*p*) for
  ///   *p* pending changes of the entity. A request through relationships to changed objects reads all rows of the
  ///   entity, because any of them may match by now.
  @_disfavoredOverload
  public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws -> [T] {
    try ManagedObjectContext.typed(fetchObjects(request))
  }

  /// The objects as instances of the class that was asked for.
  static func typed<T: ManagedObject>(_ objects: [ManagedObject]) throws -> [T] {
    var knownClass: ManagedObject.Type?
    for object in objects {
      let objectClass = Swift.type(of: object)
      if objectClass != knownClass {
        guard object is T else { throw ManagedObjectContext.wrongClass(object, wanted: T.self) }
        knownClass = objectClass
      }
    }
    // Every element is a T: the array is one of Ts as it is, and copying it would count a reference of each.
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
    try fetchIDs(request)
  }

  /// Returns dictionaries of the request's columns, or of all attributes; unsaved changes do not count.
  ///
  /// - Throws: As `fetch`, and `invalidRequest` for columns that cannot be combined.
  /// - Complexity: One query for each affected store.
  @_disfavoredOverload
  public func fetch(_ request: FetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try fetchDictionaries(request)
  }

  /// Returns how many objects `fetch` would return.
  ///
  /// - Throws: As `fetch`.
  /// - Complexity: One query for each affected store; pending changes of the entity are judged in memory.
  @_disfavoredOverload
  public func count<T>(for request: FetchRequest<T>) throws -> Int {
    processPendingChanges()
    var resolved = try resolve(request)
    let isOfObjects = if case .columns = resolved.result { false } else { true }
    if isOfObjects, request.includesPendingChanges,
      let overlay = try overlay(for: resolved, request)
    {
      return try overlay.objects().count
    }
    if case .columns(let columns) = resolved.result, columns.isAggregated || columns.distinct {
      return try fetchTuples(resolved, for: request).count
    }
    resolved.askForCount()
    guard case .count(let count) = try ask(resolved, for: request) else { return 0 }
    return count
  }

  /// What `explain(_:)` does.
  package func makeExplanation<T>(of request: FetchRequest<T>) throws -> RequestPlan {
    let resolved = try resolve(request)
    return RequestPlan(
      stores: try coordinator().explain(coordinatorFetch(resolved, for: request)))
  }
}

extension ManagedObject: FetchRequestResult {}

extension ManagedObjectContext {
  func fetchObjects<T>(_ request: FetchRequest<T>) throws -> [ManagedObject] {
    processPendingChanges()
    let resolved = try resolve(request)
    var objects: [ManagedObject]
    if request.includesPendingChanges, let overlay = try overlay(for: resolved, request) {
      objects = try overlay.objects()
    } else if request.fetchBatchSize > 0, request.returnsObjectsAsFaults,
      !request.shouldRefreshRefetchedObjects
    {
      return makeFaults(try fetchIDs(request), batchSize: request.fetchBatchSize)
    } else if let partial = try fetchPartially(request, resolved) {
      objects = partial
    } else {
      objects = try ask(resolved, forObjectsOf: request)
    }
    if !request.returnsObjectsAsFaults { try realize(ContiguousArray(objects)) }
    try prefetch(request.relationshipKeyPathsForPrefetching ?? [], of: objects)
    return objects
  }

  func fetchIDs<T>(_ request: FetchRequest<T>) throws -> [ObjectID] {
    processPendingChanges()
    var resolved = try resolve(request)
    if request.includesPendingChanges, let overlay = try overlay(for: resolved, request) {
      return try overlay.objects().map(\.identity)
    }
    resolved.askForKeys()
    guard case .ids(let ids) = try ask(resolved, for: request) else { return [] }
    return ids
  }

  private func fetchDictionaries<T>(_ request: FetchRequest<T>) throws -> [[String: Any]] {
    processPendingChanges()
    let resolved = try resolve(request)
    guard case .columns(let columns) = resolved.result else { throw wrongResultType(request) }
    let maker = DictionaryMaker(columns)
    return try fetchTuples(resolved, for: request).map { maker.dictionary(of: $0) }
  }

  /// The results of a request for columns, one slice each.
  private func fetchTuples<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> [ArraySlice<Value>] {
    guard case .tuples(let values, let width) = try ask(resolved, for: request), width > 0 else {
      return []
    }
    return stride(from: 0, to: values.count, by: width).map { values[$0..<$0 + width] }
  }

  private func wrongResultType<T>(_ request: FetchRequest<T>) -> PersistenceError {
    PersistenceError(
      .invalidRequest, "The request's result type is not that of a FetchRequest<\(T.self)>.",
      entityName: request.entityName)
  }

  func resolve<T>(_ request: FetchRequest<T>) throws -> ResolvedFetch {
    try requestResolver().resolve(request)
  }

  /// Resolves the properties of a request for objects as columns.
  func resolveColumns<T>(_ request: FetchRequest<T>) throws -> ResolvedFetch {
    try requestResolver().resolveColumns(request)
  }

  /// What resolves the context's requests.
  func requestResolver() throws -> RequestResolver {
    let coordinator = try coordinator()
    var resolver = RequestResolver(model: coordinator.managedObjectModel)
    resolver.known = coordinator.resolvedRequests
    resolver.comparesByAffinity = followsCoreData
    return resolver
  }

  func requiredModel() throws -> ManagedObjectModel {
    try coordinator().managedObjectModel
  }

  /// Asks for the objects that a request is about: with their rows at hand, or as mere faults when it wants no values
  /// (B37).
  func ask<T>(
    _ resolved: ResolvedFetch, forObjectsOf request: FetchRequest<T>
  ) throws -> [ManagedObject] {
    if request.includesPropertyValues || request.shouldRefreshRefetchedObjects {
      guard case .rows(let rows) = try ask(resolved, for: request) else {
        throw wrongResultType(request)
      }
      return materialize(rows, refreshing: request.shouldRefreshRefetchedObjects)
    }
    var keys = resolved
    keys.askForKeys()
    guard case .ids(let ids) = try ask(keys, for: request) else { return [] }
    return materialize(ids)
  }

  /// Asks the coordinator.
  func ask<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetchResult {
    statistics.roundTrips += 1
    let source = try source()
    commitCountOfFetch = source.commitCount
    let result = try source.fetch(try coordinatorFetch(resolved, for: request), for: request)
    learnPermanentIDs()
    if case .rows(let rows) = result { statistics.rowsFetched += rows.count }
    return result
  }

  func coordinatorFetch<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetch {
    try CoordinatorFetch(
      fetch: resolved, affectedStores: stores(named: request.affectedStoreIdentifiers),
      allowsInMemoryEvaluation: allowsInMemoryEvaluation,
      fillsRowCache: request.includesPropertyValues)
  }
}
