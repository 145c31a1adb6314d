// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
package import RoostQuery
public import RoostStore
import Synchronization

/// Connects contexts with stores: it holds the model, and passes each request on to the stores that hold the entity.
///
/// A coordinator can be shared by any number of contexts on any threads. It freezes the model that it is given,
/// keeps the row caches that the contexts share, and hands out the permanent IDs.
///
/// ```swift
/// let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
/// ```
public final class PersistentStoreCoordinator: Sendable {
  /// The model, which can no longer be changed.
  public let managedObjectModel: ManagedObjectModel
  /// The instruments that observe the operations of all stores, such as logs, metrics and traces. They can be added
  /// and removed at any time.
  ///
  /// ```swift
  /// coordinator.instruments.add(SlowQueryLog(threshold: .milliseconds(50)) { entry in print(entry) })
  /// ```
  public let instruments = StoreInstruments()

  struct State {
    var name: String?
    var list = StoreList()
    var nextOrder = 0
    var observers: [WeakObserver] = [] {
      didSet { hasObserversOfCommits = observers.contains(where: \.isOfCommits) }
    }
    /// Whether one of them may want to hear of commits.
    private(set) var hasObserversOfCommits = false
    /// Whether writes by other coordinators and processes are merged.
    var mergesRemoteChanges = false
    /// The polling interval of stores without hints, in seconds.
    var secondsBetweenLooks = 1.0
    /// Makes the object that stands for a store in notifications; nil for the store itself.
    var makeFace: (@Sendable (any PersistentStore) -> any StoreWrapper)?
  }

  let state = SharedState(State())
  /// A loose reference to the coordinator, for holders that must not retain it.
  let reference = LooseReference()
  /// Serialises changes to the same store or URL, so that two stores are not added at one URL at once.
  let storeChanges: StoreChanges
  let routingGate = RoutingGate()
  /// The shared state of saves over several stores.
  package let saveTraffic = CrossStoreSaveState()
  /// The cache of resolved requests for the model's objects.
  package let resolvedRequests = ResolvedRequests()
  let remoteChanges = RemoteChangeAnnouncer()
  let queue = DispatchQueue(label: "roost.coordinator")
  let clock: @Sendable () -> Double
  /// The number of commits so far: a fault whose row is older asks the cache first.
  private let commits = Atomic<Int>(0)

  /// Makes a coordinator for a model, which it freezes.
  ///
  /// - Parameter managedObjectModel: The model.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, which carries all faults of the model.
  @_disfavoredOverload
  public convenience init(managedObjectModel: ManagedObjectModel) throws {
    try self.init(usable: managedObjectModel)
  }

  /// Does the same as ``init(managedObjectModel:)``, under a name that no other module shadows.
  package convenience init(usable model: ManagedObjectModel) throws {
    try self.init(managedObjectModel: model, clock: Self.monotonicSeconds)
  }

  /// Makes a coordinator whose rows age by a given clock.
  package init(
    managedObjectModel: ManagedObjectModel, clock: @escaping @Sendable () -> Double
  ) throws {
    try managedObjectModel.parsePredicates()
    try managedObjectModel.freeze()
    self.managedObjectModel = managedObjectModel
    self.clock = clock
    storeChanges = StoreChanges(clock: clock)
    reference.refer(to: self)
  }

  deinit {
    reference.letGo()
    let stores = state.withLock { $0.list.stores }
    // Before the first store is closed, since a closed store can no longer be asked.
    let recovery = SaveRecovery(coordinator: self)
    let acknowledged = stores.map { recovery.acknowledgements(to: $0, finishing: false) }
    for (store, known) in zip(stores, acknowledged) { store.close(telling: known) }
  }

  /// Returns monotonic seconds, including the time in which the machine sleeps. It is called for every row read:
  /// `ContinuousClock` shows the same time, but computes with 128-bit numbers.
  @Sendable private static func monotonicSeconds() -> Double {
    var time = timespec()
    #if os(Linux)
    clock_gettime(CLOCK_BOOTTIME, &time)
    #else
    clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// A name for logs.
  public var name: String? {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  /// The stores in the order in which they were added.
  @_disfavoredOverload
  public var persistentStores: [any PersistentStore] {
    state.withLock { $0.list.stores.map(\.store) }
  }

  /// Returns the current stores, after waiting while another thread's `perform` block holds requests back (B228).
  func route() -> StoreList {
    routingGate.pass()
    return state.withLock { $0.list }
  }

  /// The stores, without waiting: for steps of a request that was already routed.
  var listedStores: StoreList { state.withLock { $0.list } }

  /// Returns the store with an identity from the current list, for a request that uses only that store.
  func routedStore(_ identity: StoreIdentity) -> AttachedStore? {
    routingGate.pass()
    return state.withLock { $0.list.store(identity) }
  }

  /// The monitor of migrations of stores that are added.
  package var migrations: MigrationMonitor { storeChanges.migrations }

  /// The number of commits so far.
  package var commitCount: Int { commits.load(ordering: .acquiring) }

  /// Notes a commit, after the cache was updated.
  func noteCommit() {
    commits.wrappingAdd(1, ordering: .releasing)
  }

  /// The attached stores in the order in which they were added.
  package var attachedStores: [AttachedStore] {
    state.withLock { $0.list.stores }
  }

  /// The store that holds, or held, the record of an ID; nil when it is not attached, or the ID is temporary.
  package func attachedStore(of id: ObjectID) -> AttachedStore? {
    guard let identity = id.current.storeIdentity else { return nil }
    return state.withLock { $0.list.store(identity) }
  }

  /// Returns the attached store that wraps a backend.
  package func attachedStore(for store: any PersistentStore) -> AttachedStore? {
    state.withLock { $0.list.store(store) }
  }

  /// Returns the attached store that wraps a backend.
  ///
  /// - Throws: `storeRemoved` when it is not attached.
  func requireAttached(_ store: any PersistentStore) throws -> AttachedStore {
    guard let attached = attachedStore(for: store) else {
      throw PersistenceError(
        .storeRemoved, "The store is not attached to this coordinator.",
        store: store.identity.identifier)
    }
    return attached
  }
}
