// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import Synchronization

/// Notifications for a context, added on any thread and kept until the context reads them: permanent IDs assigned to
/// its parent's objects, and saves that it merges automatically (B207, B218).
final class ContextInbox: Sendable {
  private struct State {
    var learned: [ObjectID] = []
    var saves = KeptSaves()
    var children: [WeakInbox] = []
    var hears = false
    var hearsRemoteChanges = false
    var lease = RemoteLease()
    var hearsBatchRequests = false
    var wake: (@Sendable () -> Void)?
    /// Callbacks of readers that wait for the context's next merge.
    var readers: [Int: @Sendable () -> Void] = [:]
    var readerCount = 0

    var wakes: [@Sendable () -> Void] { Array(readers.values) + (wake.map { [$0] } ?? []) }
  }

  private struct WeakInbox {
    weak var inbox: ContextInbox?
  }

  private let state = Mutex(State())
  /// Whether there is anything to take; checked without the lock.
  private let isFilled = Atomic<Bool>(false)
  private let hasHadChildren = Atomic<Bool>(false)

  /// The number of saves and summaries of saves that wait for the next merge.
  var keptSaveCount: Int { state.withLock { $0.saves.saves.count } }

  /// Sets how many records the kept saves name one by one, before they name their stores only.
  func setRecordLimit(_ limit: Int) {
    state.withLock { $0.saves.recordLimit = limit }
  }

  /// Whether saves are kept for the context. The stores that a lease has to catch up with stay noted when it is
  /// switched off.
  var hears: Bool {
    get { state.withLock { $0.hears } }
    set {
      state.withLock { state in
        state.hears = newValue
        if !newValue { state.saves.removeAll() }
      }
    }
  }

  /// Whether the kept saves include those of other coordinators and processes. A value set by the program stays when
  /// the last lease is returned.
  var hearsRemoteChanges: Bool {
    get { state.withLock { $0.hearsRemoteChanges } }
    set {
      state.withLock { state in
        state.lease.isBorrowed = false
        if newValue { beginHearing(&state) } else { state.lease.missed = nil }
        state.hearsRemoteChanges = newValue
      }
    }
  }

  /// Takes a lease on remote saves, those of other coordinators and processes.
  func borrowRemoteChanges() {
    state.withLock { state in
      state.lease.count += 1
      guard !state.hearsRemoteChanges else { return }
      state.lease.isBorrowed = true
      beginHearing(&state)
    }
  }

  /// Returns a lease of ``borrowRemoteChanges()``; on any thread.
  func returnRemoteChanges() {
    state.withLock { state in
      state.lease.count -= 1
      guard state.lease.count == 0, state.lease.isBorrowed else { return }
      state.lease.isBorrowed = false
      state.hearsRemoteChanges = false
      state.lease.missed = []
    }
  }

  /// Starts keeping remote saves again. Objects of the stores that were written meanwhile may be out of date.
  private func beginHearing(_ state: inout State) {
    state.hearsRemoteChanges = true
    guard let missed = state.lease.missed else { return }
    state.lease.missed = nil
    guard !missed.isEmpty, state.hears else { return }
    var changes = CommittedChanges()
    changes.outdatedStores = missed
    changes.isRemote = true
    state.saves.append(changes)
    isFilled.store(true, ordering: .releasing)
  }

  /// Whether the kept saves include batch requests.
  var hearsBatchRequests: Bool {
    get { state.withLock { $0.hearsBatchRequests } }
    set { state.withLock { $0.hearsBatchRequests = newValue } }
  }

  /// Sets the callback for an arriving save; nil to leave saves until the context reads them.
  func setWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { $0.wake = wake }
  }

  /// Adds a callback for arriving saves.
  ///
  /// - Returns: The number to pass to ``removeReader(_:)``.
  func addReader(_ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.readerCount += 1
      state.readers[state.readerCount] = wake
      return state.readerCount
    }
  }

  /// Removes a callback of ``addReader(_:)``.
  func removeReader(_ number: Int) {
    state.withLock { $0.readers[number] = nil }
  }

  /// Whether nothing has arrived since the last read.
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Whether the context has ever had a child.
  var hasChildren: Bool { hasHadChildren.load(ordering: .acquiring) }

  /// Adds the inbox of a child context, which then receives the announcements of this one.
  func add(_ child: ContextInbox) {
    hasHadChildren.store(true, ordering: .releasing)
    state.withLock { state in
      state.children.removeAll { $0.inbox == nil }
      state.children.append(WeakInbox(inbox: child))
    }
  }

  private var liveChildren: [ContextInbox] {
    state.withLock { $0.children.compactMap(\.inbox) }
  }

  /// Announces to all descendant contexts that temporary IDs became permanent.
  func announce(permanentIDsOf temporary: [ObjectID]) {
    for child in liveChildren {
      child.state.withLock { $0.learned += temporary }
      child.isFilled.store(true, ordering: .releasing)
      child.announce(permanentIDsOf: temporary)
    }
  }

  /// Announces a save of the context to its direct children.
  func announce(_ changes: () -> CommittedChanges) {
    guard hasChildren else { return }
    let children = liveChildren.filter(\.hears)
    guard !children.isEmpty else { return }
    let changes = changes()
    for child in children { child.receive(changes) }
  }

  /// Keeps a save for the context, if it merges saves automatically.
  func receive(_ changes: CommittedChanges) {
    let wakes = state.withLock { state -> [@Sendable () -> Void] in
      guard state.hears else { return [] }
      state.saves.append(changes)
      isFilled.store(true, ordering: .releasing)
      return state.wakes
    }
    for wake in wakes { wake() }
  }

  /// Returns and removes the kept saves.
  func takeSaves() -> [CommittedChanges] {
    state.withLock { state in
      isFilled.store(!state.learned.isEmpty, ordering: .releasing)
      return state.saves.take()
    }
  }

  /// Returns and removes the temporary IDs that became permanent; the saves stay.
  func takeLearned() -> [ObjectID] {
    state.withLock { state in
      defer { state.learned = [] }
      isFilled.store(!state.saves.isEmpty, ordering: .releasing)
      return state.learned
    }
  }
}

extension ContextInbox: CoordinatorObserver {
  var hearsCommits: Bool { hears }

  /// A context with automatic merging also releases the objects of a removed store automatically.
  func coordinator(_: PersistentStoreCoordinator, didRemove store: StoreIdentity) {
    let wakes = state.withLock { $0.hears ? $0.wakes : [] }
    for wake in wakes { wake() }
  }

  func coordinator(_: PersistentStoreCoordinator, didCommit changes: CommittedChanges) {
    if changes.sender == ObjectIdentifier(self) { return }
    if changes.isRemote, isMissed(changes) { return }
    if changes.isBatch, !hearsBatchRequests { return }
    receive(changes)
  }

  /// Returns whether a remote save is dropped because the context does not merge remote saves. Notes its stores if
  /// the context has to catch up later.
  private func isMissed(_ changes: CommittedChanges) -> Bool {
    state.withLock { state in
      guard !state.hearsRemoteChanges else { return false }
      state.lease.note(changes)
      return true
    }
  }
}

/// The leases on remote saves, in a context that would not merge remote saves otherwise.
private struct RemoteLease {
  /// The number of leases.
  var count = 0
  /// Whether the context merges remote saves only because of leases.
  var isBorrowed = false
  /// The stores with remote saves since the last lease was returned; nil when there is nothing to catch up with. Only
  /// the stores are kept, not the changes: there may never be another lease.
  var missed: [StoreIdentity]?

  mutating func note(_ changes: CommittedChanges) {
    guard var stores = missed else { return }
    let written = [changes.inserted, changes.updated, changes.deleted].joined()
      .compactMap(\.storeIdentity)
    for store in changes.outdatedStores + written where !stores.contains(where: { $0 === store }) {
      stores.append(store)
    }
    missed = stores
  }
}
