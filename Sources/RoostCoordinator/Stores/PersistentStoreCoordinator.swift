// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
package import RoostQuery
public import RoostStore
import Synchronization

/// Connects contexts with stores: it has the model, and passes each request on to the stores that hold the entity.
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
  /// The instruments that are told of the operations of all stores, such as logs, metrics and traces. They can be added
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
    /// Whether what others write is taken over.
    var mergesRemoteChanges = false
    /// How often stores are looked at without hints, in seconds.
    var secondsBetweenLooks = 1.0
    /// Makes what stands for a store in notifications; nil for the store itself.
    var makeFace: (@Sendable (any PersistentStore) -> any StoreFace)?
  }

  let state = SharedState(State())
  /// What others hold who do not keep it.
  let reference = LooseReference()
  /// Keeps apart those who change the same store or place, so that two stores are not added to one place at once.
  let storeChanges: StoreChanges
  let routingGate = RoutingGate()
  /// What the saves have in common that concern several stores.
  package let saveTraffic = SaveTraffic()
  /// What is known of the requests for the model's objects.
  package let resolvedRequests = ResolvedRequests()
  let remoteChanges = RemoteChangeAnnouncer()
  let queue = DispatchQueue(label: "roost.coordinator")
  let clock: @Sendable () -> Double
  /// How many commits there were: a fault whose row is older asks the cache first.
  private let commits = Atomic<Int>(0)

  /// Makes a coordinator for a model, which is frozen by it.
  ///
  /// - Parameter managedObjectModel: The model.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, which carries all faults of the model.
  @_disfavoredOverload
  public convenience init(managedObjectModel: ManagedObjectModel) throws {
    try self.init(usable: managedObjectModel)
  }

  /// What ``init(managedObjectModel:)`` does, under a name that no other module hides.
  package convenience init(usable model: ManagedObjectModel) throws {
    try self.init(managedObjectModel: model, clock: Self.monotonicSeconds)
  }

  /// Makes a coordinator whose rows age by another clock.
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
    // Before the first one is closed, which could not be asked any more.
    let recovery = SaveRecovery(coordinator: self)
    let acknowledged = stores.map { recovery.acknowledgements(to: $0, finishing: false) }
    for (store, known) in zip(stores, acknowledged) { store.close(telling: known) }
  }

  /// Seconds since some moment, those included in which the machine sleeps. Asked for with every row that is read:
  /// `ContinuousClock` shows the same, in numbers of 128 bits.
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

  /// The stores of this moment, once no block of another thread keeps requests waiting (B228).
  func route() -> StoreList {
    routingGate.pass()
    return state.withLock { $0.list }
  }

  /// The stores, for what is asked within a request that has found its stores.
  var listedStores: StoreList { state.withLock { $0.list } }

  /// The store with an identity in the list that a request works with, for one that works with no other.
  func routedStore(_ identity: StoreIdentity) -> AttachedStore? {
    routingGate.pass()
    return state.withLock { $0.list.store(identity) }
  }

  /// Told of the migrations of stores that are added.
  package var migrations: MigrationMonitor { storeChanges.migrations }

  /// The number of commits so far.
  package var commitCount: Int { commits.load(ordering: .acquiring) }

  /// Notes a commit, once the cache has it.
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

  /// The attached store that a backend stands for.
  package func attachedStore(for store: any PersistentStore) -> AttachedStore? {
    state.withLock { $0.list.store(store) }
  }

  /// The attached store of a backend.
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
