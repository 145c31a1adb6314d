// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Checks of live results during a walk, in the context of the walk and in one that only merges.
///
/// After each step the live results equal a fetch, and a list to which the reported changes are applied equals them
/// (L2). In a context that only merges they also have the values that a fetch in a new context finds, and each result
/// whose values differ from those at the last check was reported (L1).
final class LiveWatches {
  /// The number of live requests in each context.
  static let count = 3

  private let context: ManagedObjectContext
  private let merges: Bool
  private var watches: [Watch] = []

  /// Starts live results of some requests.
  ///
  /// - Parameters:
  ///   - merges: Whether the context is a separate one that merges other saves.
  ///   - remote: Whether it also merges the saves of other coordinators.
  init(
    _ requests: [FetchRequest<ManagedObject>], in context: ManagedObjectContext, merges: Bool,
    remote: Bool = false
  ) throws {
    self.context = context
    self.merges = merges
    if merges { try context.mergeForLiveResults(remote: remote) }
    watches = try requests.map { try Watch($0, in: context) }
  }

  /// Compares the results with a fetch, and the list with the results.
  func check() throws {
    context.processPendingChanges()
    for watch in watches { try watch.check(in: context) }
    guard merges, let coordinator = context.persistentStoreCoordinator else { return }
    let fresh = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    fresh.stalenessInterval = 0
    for watch in watches { try watch.checkValues(in: fresh) }
  }

  /// One live request.
  private final class Watch: LiveListener {
    private let request: FetchRequest<ManagedObject>
    private var query: LiveQuery?
    /// A list that is changed only by the reported changes.
    private var list: [ObjectIdentifier] = []
    private var failure: PersistenceError?
    /// The values of the results at the last check, by object.
    private var values: [ObjectIdentifier: [String: ExactValue]] = [:]
    /// The objects reported as inserted or changed since the last check.
    private var told: Set<ObjectIdentifier> = []

    init(_ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext) throws {
      self.request = request
      let query = try context.follow(request, for: self)
      list = query.elements.map { ObjectIdentifier($0) }
      self.query = query
    }

    func liveQuery(_ query: LiveQuery, did step: LiveStep) {
      failure = nil
      let concerned = step.change.refreshed.union(step.change.inserted.lazy.map(\.id))
      for object in step.new
      where step.change.isReset || concerned.contains(object.objectID) {
        told.insert(ObjectIdentifier(object))
      }
      if step.change.isReset {
        list = step.new.map { ObjectIdentifier($0) }
      } else {
        step.change.apply(to: &list) { ObjectIdentifier(step.new[$0]) }
      }
    }

    func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
      failure = error
    }

    func liveQueryWasInvalidated(_ query: LiveQuery) {}

    func check(in context: ManagedObjectContext) throws {
      guard let query else { return }
      if let failure { throw failure }
      let fetched = try context.fetch(request)
      try expectEqual(
        query.elements.map(\.objectID), fetched.map(\.objectID), "what \(request) keeps (L2)")
      try expectEqual(
        list, fetched.map { ObjectIdentifier($0) }, "the list that follows \(request) (L1)")
    }

    /// Compares the values of the results with those in another context, and with those at the last check.
    func checkValues(in fresh: ManagedObjectContext) throws {
      guard let query else { return }
      let stored = try fresh.fetch(request)
      try expectEqual(
        query.elements.map(\.objectID), stored.map(\.objectID), "what \(request) keeps (L2)")
      var shown: [ObjectIdentifier: [String: ExactValue]] = [:]
      for (object, record) in zip(query.elements, stored) {
        let identifier = ObjectIdentifier(object)
        let found = try Self.values(of: object)
        try expectEqual(
          found, try Self.values(of: record), "the values of \(object.objectID) (L2)")
        if let old = values[identifier], old != found {
          try expect(
            told.contains(identifier),
            "the change of \(object.objectID) from \(old) to \(found) is told (L1)")
        }
        shown[identifier] = found
      }
      (values, told) = (shown, [])
    }

    private static func values(of object: ManagedObject) throws -> [String: ExactValue] {
      var values: [String: ExactValue] = [:]
      for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
        values[name] = ExactValue(try object.get(name))
      }
      return values
    }
  }
}

/// Live results with a separate coordinator, for which the walk's saves are remote.
final class RemoteWatches {
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext
  private var live: LiveWatches?

  /// Opens a store a second time.
  init(_ store: PersistentStoreDescription, _ model: ManagedObjectModel) throws {
    coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(with: store)
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  deinit {
    for store in coordinator.persistentStores { try? coordinator.remove(store) }
  }

  /// Whether the store has change marks.
  var isTold: Bool { coordinator.persistentStores.allSatisfy { $0.changeMarks != nil } }

  func follow(_ requests: [FetchRequest<ManagedObject>]) throws {
    live = try LiveWatches(requests, in: context, merges: true, remote: true)
  }

  /// Merges the walk's saves since the last check, and compares.
  func check() throws {
    RemoteChanges(to: coordinator).look()
    try live?.check()
  }
}

/// The live results that a walk checks.
struct WalkLive {
  /// In the context of the walk.
  var own: LiveWatches?
  /// In a context that only merges.
  var sibling: LiveWatches?
  var siblingContext: ManagedObjectContext?
  /// With another coordinator of the same store, and the description for opening it; nil if the store cannot have a
  /// second one.
  var remote: RemoteWatches?
  var remoteStore: PersistentStoreDescription?

  /// Drops the live results in contexts of the walk's coordinator.
  mutating func forgetContexts() {
    (own, sibling, siblingContext) = (nil, nil, nil)
  }
}

extension Walker {
  /// Compares the live results of another coordinator with a fetch there, at every third step so that a check also
  /// covers several saves at once.
  private func checkRemoteLive() throws {
    guard let store = live.remoteStore, stepCount % 3 == 0 else { return }
    try live.remote?.check()
    guard live.remote == nil || stepCount % 24 == 0 else { return }
    let remote = try live.remote ?? RemoteWatches(store, stack.model)
    guard remote.isTold else { return live.remoteStore = nil }
    try remote.follow(liveRequests())
    live.remote = remote
  }

  /// Compares live results with a fetch.
  func checkLive(after step: WalkStep) throws {
    stepCount += 1
    switch step.kind {
    case .interfere, .policySave, .updateInBatch, .deleteInBatch, .reopen, .migrate:
      // Other saves are not merged, or the contexts are gone.
      live.own = nil
    default: break
    }
    if step.kind == .reopen || step.kind == .migrate { live.forgetContexts() }
    try checkRemoteLive()
    guard frames.isEmpty else { return }
    try live.own?.check()
    try live.sibling?.check()
    if live.own == nil || stepCount % 25 == 0 {
      live.own = try LiveWatches(liveRequests(), in: stack.context, merges: false)
    }
    if live.sibling == nil || stepCount % 25 == 0 {
      let context = live.siblingContext ?? stack.makeContext()
      live.siblingContext = context
      live.sibling = try LiveWatches(liveRequests(), in: context, merges: true)
    }
  }

  private func liveRequests() throws -> [FetchRequest<ManagedObject>] {
    try (0..<LiveWatches.count).map { number in
      let (first, second) = (stepCount &* 31 &+ number, stepCount &* 17 &+ number &* 7)
      return try liveRequest(WalkStep(.fetch, first, second, stepCount &+ number))
    }
  }
}
