// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostQuery
package import RoostStore

/// A store that was added to a coordinator: the backend, the part of the model that it holds, its row cache, its
/// counters, and the gate that its requests go through.
///
/// It may outlive the attachment: once the store is removed, its requests throw `storeRemoved`.
package final class AttachedStore: Sendable {
  /// The backend.
  package let store: any PersistentStore
  /// The identity of the store.
  package let identity: StoreIdentity
  /// The entities that the store holds, and their codes.
  package let schema: StoreSchema
  /// The number of stores that had been added before it.
  package let order: Int
  /// The concrete entities that it can hold.
  let entities: Set<ObjectIdentifier>
  /// Whether these are all of the model's: then no request has to be limited to them.
  private let holdsWholeModel: Bool
  let cache: RowCache
  let tally: StoreRequestCounters
  let reservoir = KeyReservoir()
  let log: StoreLog
  /// References to records of other stores.
  let foreign: ForeignReferences
  /// Whether the store keeps a history of its transactions.
  package let keepsHistory: Bool
  /// Schedules the trimming of the history.
  let historyCare: HistoryTrimSchedule
  /// The instruments that observe the requests.
  let instruments: StoreInstruments
  /// The snapshots of the store that contexts currently read.
  let snapshots: HeldSnapshots
  /// For a snapshot, the commit count at which it began, as ``HeldSnapshots/begin()`` returned it.
  private let snapshotStart: Int?
  /// Shared by commits to this store alone, which run concurrently; locked exclusively by commits to several stores,
  /// which allow no commit in between, and while the store is copied.
  let commitLock = CommitGate()
  /// Shared by saves of this store alone, for as long as the backend is committing.
  let commits = CommitGate()
  /// The coordinator's state for saves over several stores in this store.
  let saves = SaveRegistry()
  /// A loose reference to the store, for holders that must not retain it.
  let reference = LooseReference()
  private let clock: @Sendable () -> Double
  private let gate = RequestGate()
  private let state: SharedState<State>

  private struct State {
    /// The snapshots of the store that are still being read.
    var frozen: [LooseReference] = []
    var coordinator: LooseReference?
    var url: URL?
    var pendingMetadata: PendingMetadata?
    var watch: StoreWatch?
    var face: (any StoreWrapper)?
  }

  init(
    store: any PersistentStore, schema: StoreSchema, order: Int, log: StoreLog,
    clock: @escaping @Sendable () -> Double
  ) {
    self.store = store
    identity = store.identity
    self.schema = schema
    self.order = order
    self.log = log
    instruments = log.instruments ?? StoreInstruments()
    let entities = Set(schema.entities.lazy.filter { !$0.isAbstract }.map { ObjectIdentifier($0) })
    self.entities = entities
    let model = schema.entities.first?.managedObjectModel
    holdsWholeModel =
      model?.entities.allSatisfy { $0.isAbstract || entities.contains(ObjectIdentifier($0)) }
      ?? false
    cache = RowCache(now: clock)
    tally = StoreRequestCounters()
    foreign = ForeignReferences()
    keepsHistory = store.history != nil
    // A value that cannot be read was refused when the store was opened.
    let option =
      store.description.options[HistoryLimits.option] ?? store.metadata.historyRetention
    historyCare = HistoryTrimSchedule((try? HistoryLimits(option)) ?? .standard)
    snapshots = HeldSnapshots()
    snapshotStart = nil
    self.clock = clock
    state = SharedState(State(url: store.description.url))
    reference.refer(to: self)
  }

  /// A snapshot of another store: the same records and counters, a cache of its own.
  ///
  /// - Parameter holdsSnapshot: Whether the engine retains resources for the snapshot.
  init(
    frozen store: any PersistentStore, of original: AttachedStore, holdsSnapshot: Bool = true
  ) {
    self.store = store
    identity = store.identity
    schema = original.schema
    order = original.order
    log = original.log
    instruments = original.instruments
    entities = original.entities
    holdsWholeModel = original.holdsWholeModel
    clock = original.clock
    cache = RowCache(now: original.clock)
    tally = original.tally
    foreign = ForeignReferences(past: original.foreign)
    keepsHistory = original.keepsHistory
    historyCare = original.historyCare
    snapshots = original.snapshots
    snapshotStart = holdsSnapshot ? original.snapshots.begin() : nil
    state = SharedState(State(url: original.url))
    reference.refer(to: self)
    original.state.withLock { state in
      state.frozen.removeAll { $0.object == nil }
      state.frozen.append(reference)
    }
  }

  deinit {
    reference.letGo()
  }

  /// Whether the store is read-only (B236).
  package var isReadOnly: Bool { store.isReadOnly }

  /// Returns the ID of a record, without locking or I/O; nil when the key names no entity of the store.
  package func objectID(forKey key: Int64) -> ObjectID? {
    schema.objectID(forKey: key)
  }

  /// Whether the store can hold records of an entity.
  package func holds(_ entity: EntityDescription) -> Bool {
    entities.contains(ObjectIdentifier(entity))
  }

  /// Whether the store can hold records of at least one of some concrete entities.
  func holdsSome(of entities: [EntityDescription]) -> Bool {
    holdsWholeModel ? !entities.isEmpty : entities.contains(where: holds)
  }

  /// Whether the store can hold records of all of some concrete entities.
  func holdsAll(of entities: [EntityDescription]) -> Bool {
    holdsWholeModel || entities.allSatisfy(holds)
  }

  /// Whether the store was removed.
  package var isRemoved: Bool { gate.refusesRequests }

  /// The coordinator while the store is attached.
  var coordinator: PersistentStoreCoordinator? {
    get { state.withLock { $0.coordinator }?.object as? PersistentStoreCoordinator }
    set { state.withLock { $0.coordinator = newValue?.reference } }
  }

  /// The watch that detects writes by other coordinators and processes; nil while no observer needs it (B289).
  var watch: StoreWatch? {
    get { state.withLock { $0.watch } }
    set { state.withLock { $0.watch = newValue } }
  }

  /// The URL of the store.
  var url: URL? {
    get { state.withLock { $0.url } }
    set { state.withLock { $0.url = newValue } }
  }

  /// Whether the store is a file or a server, so that its commits can fail for reasons outside of the process.
  package var isDurable: Bool {
    if let preparation = store.preparation { return preparation.keepsParts }
    guard let url, StoreNaming.place(of: url) != nil else { return false }
    return url.isFileURL || url.scheme == nil || url.host() != nil
  }

  /// Reads or replaces the object that stands for the store in another API.
  func changeFace<Result>(_ body: (inout (any StoreWrapper)?) -> Result) -> Result {
    state.withLock { body(&$0.face) }
  }

  /// The metadata to be written by the next commit (B244).
  var pendingMetadata: StoreMetadata? {
    get { pendingMetadata(over: store.metadata) }
    set {
      let pending = newValue.map { PendingMetadata($0, since: store.metadata) }
      state.withLock { $0.pendingMetadata = pending }
    }
  }

  /// The metadata to be written over others by the next commit.
  func pendingMetadata(over stored: StoreMetadata) -> StoreMetadata? {
    state.withLock { $0.pendingMetadata }?.wanted(after: stored)
  }

  /// Whether metadata wait for the next commit.
  var hasPendingMetadata: Bool { state.withLock { $0.pendingMetadata != nil } }

  /// Forgets pending metadata that was written, unless it was set anew meanwhile.
  func metadataWasWritten(_ metadata: StoreMetadata) {
    state.withLock { state in
      if state.pendingMetadata?.isWritten(in: metadata) == true { state.pendingMetadata = nil }
    }
  }

  /// The counters since the store was added.
  var counters: StoreCounters { tally.counters(statements: log.statements) }

  /// Performs a request, and keeps the store open for it. The request ends when the work that it is part of is
  /// cancelled.
  func requesting<Result>(_ body: (any PersistentStore) throws -> Result) throws -> Result {
    try request(nil, toTheEnd: false, body)
  }

  /// Performs a request about the prepared parts themselves, which is possible while one of them cannot be finished.
  func requestingAsItIs<Result>(
    _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    try request(nil, toTheEnd: false, finishesParts: false, body)
  }

  /// Performs a request that ignores cancellation, for work that must be completed once it has begun.
  func requestingToTheEnd<Result>(
    _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    try request(nil, toTheEnd: true, body)
  }

  /// Performs a request.
  ///
  /// - Parameters:
  ///   - kind: The kind under which it is counted; nil for a request that is not counted.
  ///   - toTheEnd: Whether the request ignores cancellation.
  ///   - finishesParts: Whether the parts that are left of committed saves are finished first (X4).
  ///   - body: Performs the request.
  func request<Result>(
    _ kind: StoreOperation.Kind?, toTheEnd: Bool, finishesParts: Bool = true,
    _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    let cancellation = toTheEnd ? nil : RequestScope.cancellation
    guard gate.enter() else { throw removedError }
    defer { gate.leave() }
    if finishesParts, saves.isWaiting, let coordinator {
      try SaveRecovery(coordinator: coordinator).finishRemainders(of: self)
    }
    try cancellation?.check()
    if let kind { tally.count(kind) }
    guard let cancellation else { return try body(store) }
    return try body(store.cancellable(by: cancellation))
  }

  /// Attaches the store, so that its IDs resolve to this coordinator.
  func attach(to coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    foreign.attach(to: coordinator)
    identity.attach(reference)
  }

  /// Waits for the requests under way, and closes the store.
  ///
  /// - Parameter acknowledged: Acknowledgements of participants to record in the store as the decider; nil for those
  ///   that the coordinator knows.
  func close(telling acknowledged: [SaveAcknowledgement]? = nil) {
    let acknowledged =
      acknowledged
      ?? coordinator.map {
        SaveRecovery(coordinator: $0).acknowledgements(closing: self)
      }
    coordinator = nil
    watch = nil
    if identity.attachedObject === self { identity.attach(nil) }
    for case let frozen as AttachedStore in state.withLock({ $0.frozen }).map(\.object) {
      frozen.letGo()
    }
    letGo(telling: acknowledged ?? [])
  }

  /// Waits for the requests under way and closes the backend; a second call has no effect.
  ///
  /// - Parameter acknowledged: Acknowledgements of participants to record in the store as the decider.
  func letGo(telling acknowledged: [SaveAcknowledgement] = []) {
    guard !isRemoved else { return }
    gate.close()
    saves.end(in: store, telling: acknowledged)
    if let snapshotStart { snapshots.end(snapshotStart) }
    store.close()
    cache.removeAll()
  }

  var removedError: PersistenceError {
    PersistenceError(
      .storeRemoved, "The store was removed from its coordinator.", store: displayName)
  }

  /// The name of the store in messages: without folders, users or passwords.
  var displayName: String {
    StoreNaming.displayName(url: url, identifier: identity.identifier)
  }
}
