// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostQuery
package import RoostStore

/// A store that was added to a coordinator: the backend, the part of the model that it holds, its row cache, its
/// counters, and the gate that its requests go through.
///
/// It may be held for any time: after the store was removed, its requests throw `storeRemoved`.
package final class AttachedStore: Sendable {
  /// The backend.
  package let store: any PersistentStore
  /// Which store it is.
  package let identity: StoreIdentity
  /// The entities that the store holds, and their codes.
  package let schema: StoreSchema
  /// The number of stores that had been added before it.
  package let order: Int
  /// The concrete entities that it can hold.
  let entities: Set<ObjectIdentifier>
  let cache: RowCache
  let tally: StoreTally
  let reservoir = KeyReservoir()
  let log: StoreLog
  /// What it refers to in other stores.
  let foreign: ForeignReferences
  /// Whether the store keeps a history of its transactions.
  package let keepsHistory: Bool
  /// What sees to it that the history does not become too much.
  let historyCare: HistoryCare
  /// Who is told of the requests.
  let instruments: StoreInstruments
  /// The snapshots of it that contexts look at.
  let snapshots: HeldSnapshots
  /// For a snapshot, when it began.
  private let snapshotStart: Int?
  /// Shared by commits to this store alone, which run side by side; locked by commits to several stores, which see no
  /// other commit between, and while the store is copied.
  let commitLock = CommitGate()
  /// Shared by those who commit a save of this store alone, for as long as the store is at it.
  let commits = CommitGate()
  /// What is known of it in saves over several stores.
  let saves = SaveRegistry()
  /// What others hold who do not keep it.
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
    var face: (any StoreFace)?
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
    entities = Set(schema.entities.lazy.filter { !$0.isAbstract }.map { ObjectIdentifier($0) })
    cache = RowCache(now: clock)
    tally = StoreTally()
    foreign = ForeignReferences()
    keepsHistory = store.history != nil
    // A value that cannot be read was refused when the store was opened.
    let option = store.description.options[HistoryLimits.option]
    historyCare = HistoryCare((try? HistoryLimits(option)) ?? .standard)
    snapshots = HeldSnapshots()
    snapshotStart = nil
    self.clock = clock
    state = SharedState(State(url: store.description.url))
    reference.refer(to: self)
  }

  /// A snapshot of another store: the same records and counters, a cache of its own.
  ///
  /// - Parameter holdsSnapshot: Whether the engine keeps something for it.
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
    clock = original.clock
    cache = RowCache(now: original.clock)
    tally = original.tally
    foreign = original.foreign
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

  /// Whether it refuses to be written (B236).
  package var isReadOnly: Bool { store.isReadOnly }

  /// The ID of a record: no lock, no I/O. Nil when the key names no entity of the store.
  package func objectID(forKey key: Int64) -> ObjectID? {
    schema.objectID(forKey: key)
  }

  /// Whether records of an entity can be kept here.
  package func holds(_ entity: EntityDescription) -> Bool {
    entities.contains(ObjectIdentifier(entity))
  }

  /// Whether it was removed.
  package var isRemoved: Bool { gate.refusesRequests }

  /// The coordinator while the store is attached.
  var coordinator: PersistentStoreCoordinator? {
    get { state.withLock { $0.coordinator }?.object as? PersistentStoreCoordinator }
    set { state.withLock { $0.coordinator = newValue?.reference } }
  }

  /// Who looks whether others write the store; nil when nobody is to be told (B289).
  var watch: StoreWatch? {
    get { state.withLock { $0.watch } }
    set { state.withLock { $0.watch = newValue } }
  }

  /// Where the store is.
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

  /// Reads or makes what stands for the store.
  func changeFace<Result>(_ body: (inout (any StoreFace)?) -> Result) -> Result {
    state.withLock { body(&$0.face) }
  }

  /// The metadata to be written by the next commit (B244).
  var pendingMetadata: StoreMetadata? {
    get { state.withLock { $0.pendingMetadata }?.metadata(of: store) }
    set {
      let pending = newValue.map { PendingMetadata($0, since: store.metadata) }
      state.withLock { $0.pendingMetadata = pending }
    }
  }

  /// Whether there are metadata to be written by the next commit.
  var hasPendingMetadata: Bool { state.withLock { $0.pendingMetadata != nil } }

  /// Forgets pending metadata that was written, unless it was set anew meanwhile.
  func metadataWasWritten(_ metadata: StoreMetadata) {
    state.withLock { state in
      if state.pendingMetadata?.isWritten(in: metadata) == true { state.pendingMetadata = nil }
    }
  }

  /// The counters since the store was added.
  var counters: StoreCounters { tally.counters(statements: log.statements) }

  /// Lets a request through, and keeps the store open for it. It ends when the work that it is part of is cancelled.
  func requesting<Result>(_ body: (any PersistentStore) throws -> Result) throws -> Result {
    try request(nil, toTheEnd: false, body)
  }

  /// Lets a request through that is answered even if nobody wants to know any more: what was begun must be ended.
  func requestingToTheEnd<Result>(
    _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    try request(nil, toTheEnd: true, body)
  }

  /// Lets a request through.
  ///
  /// - Parameters:
  ///   - kind: How it is counted; nil for one that is not.
  ///   - toTheEnd: Whether it is answered even if nobody wants to know any more.
  ///   - body: Asks the store.
  func request<Result>(
    _ kind: StoreOperation.Kind?, toTheEnd: Bool, _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    let cancellation = toTheEnd ? nil : RequestScope.cancellation
    guard gate.enter() else { throw removedError }
    defer { gate.leave() }
    if saves.isWaiting, let coordinator {
      try SaveRecovery(coordinator: coordinator).finishRemainders(of: self)
    }
    try cancellation?.check()
    if let kind { tally.count(kind) }
    guard let cancellation else { return try body(store) }
    return try body(store.cancellable(by: cancellation))
  }

  /// Tells everybody who has an ID of the store where it is attached.
  func attach(to coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    foreign.attach(to: coordinator)
    identity.attach(reference)
  }

  /// Waits for the requests under way, and closes the store.
  ///
  /// - Parameter acknowledged: What it is told, as a decider, of what others have finished; nil for what is known.
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

  /// Waits for the requests under way, and lets go of the backend; twice does no harm.
  ///
  /// - Parameter acknowledged: What it is told, as a decider, of what participants have finished.
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

  /// How messages name the store: without folders, users or passwords.
  var displayName: String {
    StoreNaming.displayName(url: url, identifier: identity.identifier)
  }
}
