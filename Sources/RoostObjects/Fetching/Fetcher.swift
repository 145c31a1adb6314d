// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

extension Fetcher {
  func fetchObjects<T>(_ request: FetchRequest<T>) throws -> [ManagedObject] {
    context.processPendingChanges()
    let resolved = try resolve(request)
    let delivery = request.delivery
    var objects: [ManagedObject]
    if delivery.includesPendingChanges, let overlay = try overlay(for: resolved, request) {
      objects = try overlay.objects()
    } else if delivery.batchSize > 0, delivery.returnsObjectsAsFaults,
      !delivery.shouldRefreshRefetchedObjects
    {
      let faults = makeFaults(
        try fetchIDs(request), batchSize: delivery.batchSize,
        prefetching: delivery.prefetchedKeyPaths)
      if let first = faults.first {
        try context.loader.requireRelationships(delivery.prefetchedKeyPaths, of: first)
      }
      return faults
    } else if let partial = try fetchPartially(request, resolved, delivery) {
      objects = partial
    } else {
      objects = try ask(resolved, forObjectsOf: request, delivery)
    }
    if !delivery.returnsObjectsAsFaults { try context.loader.realize(ContiguousArray(objects)) }
    try context.loader.prefetch(delivery.prefetchedKeyPaths, of: objects)
    return objects
  }

  func fetchIDs<T>(_ request: FetchRequest<T>) throws -> [ObjectID] {
    context.processPendingChanges()
    var resolved = try resolve(request)
    if request.includesPendingChanges, let overlay = try overlay(for: resolved, request) {
      return try overlay.objects().map(\.identity)
    }
    resolved.askForKeys()
    guard case .ids(let ids) = try ask(resolved, for: request) else { return [] }
    return ids
  }

  func fetchDictionaries<T>(_ request: FetchRequest<T>) throws -> [[String: Any]] {
    context.processPendingChanges()
    let resolved = try resolve(request)
    guard case .columns(let columns) = resolved.result else { throw wrongResultType(request) }
    let maker = DictionaryMaker(columns)
    return try fetchTuples(resolved, for: request).map { maker.dictionary(of: $0) }
  }

  /// Returns the results of a request for columns, one slice each.
  func fetchTuples<T>(
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
    // A cached resolved request needs no resolver.
    if let known = try context.coordinator().resolvedRequests.fetch(for: request) { return known }
    return try requestResolver().resolve(request.criteria)
  }

  /// Resolves the properties of a request for objects as columns.
  func resolveColumns<T>(_ request: FetchRequest<T>) throws -> ResolvedFetch {
    try requestResolver().resolveColumns(request)
  }

  /// Returns a resolver for the context's requests.
  func requestResolver() throws -> RequestResolver {
    let coordinator = try context.coordinator()
    var resolver = RequestResolver(model: coordinator.managedObjectModel)
    resolver.known = coordinator.resolvedRequests
    resolver.comparesByAffinity = context.followsCoreData
    return resolver
  }

  func requiredModel() throws -> ManagedObjectModel {
    try context.coordinator().managedObjectModel
  }

  /// Executes a request for objects: with their rows attached, or as mere faults when it includes no property values
  /// (B37).
  func ask<T>(
    _ resolved: ResolvedFetch, forObjectsOf request: FetchRequest<T>, _ delivery: FetchDelivery
  ) throws -> [ManagedObject] {
    if delivery.includesPropertyValues || delivery.shouldRefreshRefetchedObjects {
      guard case .rows(let rows) = try ask(resolved, for: request, delivery) else {
        throw wrongResultType(request)
      }
      return context.materializer.materialize(
        rows, refreshing: delivery.shouldRefreshRefetchedObjects)
    }
    var keys = resolved
    keys.askForKeys()
    guard case .ids(let ids) = try ask(keys, for: request, delivery) else { return [] }
    return context.materializer.materialize(ids)
  }

  /// Sends a request to the parent or the coordinator.
  func ask<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetchResult {
    try ask(resolved, for: request, request.delivery)
  }

  private func ask<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>, _ delivery: FetchDelivery
  ) throws -> CoordinatorFetchResult {
    context.statistics.roundTrips += 1
    let source = try context.upstream.source()
    context.loading.commitCountOfFetch = source.commitCount
    let result = try context.asCaller {
      try source.fetch(try coordinatorFetch(resolved, delivery), for: request)
    }
    context.upstream.learnPermanentIDs()
    if case .rows(let rows) = result { context.statistics.rowsFetched += rows.count }
    return result
  }

  func coordinatorFetch<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetch {
    try coordinatorFetch(resolved, request.delivery)
  }

  private func coordinatorFetch(
    _ resolved: ResolvedFetch, _ delivery: FetchDelivery
  ) throws -> CoordinatorFetch {
    try CoordinatorFetch(
      fetch: resolved, affectedStores: stores(named: delivery.affectedStoreIdentifiers),
      allowsInMemoryEvaluation: context.allowsInMemoryEvaluation,
      fillsRowCache: delivery.includesPropertyValues)
  }

  /// Returns the attached stores that a request names; nil when it names none.
  ///
  /// - Throws: `storeRemoved` when one of them is not attached: a result without it would be incomplete (B136).
  func stores(named identifiers: [String]?) throws -> [StoreIdentity]? {
    guard let identifiers else { return nil }
    let stores = context.persistentStoreCoordinator?.persistentStores.map(\.identity) ?? []
    return try identifiers.map { identifier in
      guard let store = stores.first(where: { $0.identifier == identifier }) else {
        throw PersistenceError(
          .storeRemoved, "The request asks a store that is not attached.", store: identifier)
      }
      return store
    }
  }

  /// Runs a part of a fetch that reads an object: since the fetch is explicit, it may query stores, and throws their
  /// errors.
  func reading<Result>(
    _ body: () throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    let allowed = context.allowsImplicitRoundTrips
    context.allowsImplicitRoundTrips = true
    defer { context.allowsImplicitRoundTrips = allowed }
    return try body()
  }
}
