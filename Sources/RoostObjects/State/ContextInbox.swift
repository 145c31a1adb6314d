// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import Synchronization

/// What others tell a context, on any thread, until the context looks: permanent IDs that its parent's objects got, and
/// saves whose changes it merges by itself (B207, B218).
final class ContextInbox: Sendable {
  private struct State {
    var learned: [ObjectID] = []
    var saves: [CommittedChanges] = []
    var children: [WeakInbox] = []
    var hears = false
    var hearsRemoteChanges = false
    var lease = RemoteLease()
    var hearsBatchRequests = false
    var wake: (@Sendable () -> Void)?
    /// Readers that wait for what the context merges when it is used next.
    var readers: [Int: @Sendable () -> Void] = [:]
    var readerCount = 0

    var wakes: [@Sendable () -> Void] { Array(readers.values) + (wake.map { [$0] } ?? []) }
  }

  private struct WeakInbox {
    weak var inbox: ContextInbox?
  }

  private let state = Mutex(State())
  /// Whether there is something to take; asked before the lock.
  private let isFilled = Atomic<Bool>(false)
  private let hasHadChildren = Atomic<Bool>(false)

  /// Whether saves are to be kept for the context.
  var hears: Bool {
    get { state.withLock { $0.hears } }
    set {
      state.withLock { state in
        state.hears = newValue
        if !newValue {
          state.saves = []
          state.lease.missed = nil
        }
      }
    }
  }

  /// Whether saves of other coordinators and processes are among them. What the program sets it does not lose when
  /// those go who have borrowed it.
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

  /// Lets one more hear saves of other coordinators and processes through the context.
  func borrowRemoteChanges() {
    state.withLock { state in
      state.lease.count += 1
      guard !state.hearsRemoteChanges else { return }
      state.lease.isBorrowed = true
      beginHearing(&state)
    }
  }

  /// Ends what ``borrowRemoteChanges()`` began, on any thread.
  func returnRemoteChanges() {
    state.withLock { state in
      state.lease.count -= 1
      guard state.lease.count == 0, state.lease.isBorrowed else { return }
      state.lease.isBorrowed = false
      state.hearsRemoteChanges = false
      state.lease.missed = []
    }
  }

  /// Hears others again: the objects of stores that they have written meanwhile may be out of date.
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

  /// Whether batch requests are among them.
  var hearsBatchRequests: Bool {
    get { state.withLock { $0.hearsBatchRequests } }
    set { state.withLock { $0.hearsBatchRequests = newValue } }
  }

  /// What is called when a save arrives; nil lets it wait until the context looks.
  func setWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { $0.wake = wake }
  }

  /// Calls a closure, too, when a save arrives.
  ///
  /// - Returns: What ``removeReader(_:)`` takes.
  func addReader(_ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.readerCount += 1
      state.readers[state.readerCount] = wake
      return state.readerCount
    }
  }

  /// Ends what ``addReader(_:)`` began.
  func removeReader(_ number: Int) {
    state.withLock { $0.readers[number] = nil }
  }

  /// Whether nothing arrived since the last look.
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Whether there ever was a child.
  var hasChildren: Bool { hasHadChildren.load(ordering: .acquiring) }

  /// Passes on what this one's context tells to the children of the context.
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

  /// Tells all contexts below that temporary IDs became permanent.
  func announce(permanentIDsOf temporary: [ObjectID]) {
    for child in liveChildren {
      child.state.withLock { $0.learned += temporary }
      child.isFilled.store(true, ordering: .releasing)
      child.announce(permanentIDsOf: temporary)
    }
  }

  /// Tells the contexts directly below that this one's context was saved.
  func announce(_ changes: () -> CommittedChanges) {
    guard hasChildren else { return }
    let children = liveChildren.filter(\.hears)
    guard !children.isEmpty else { return }
    let changes = changes()
    for child in children { child.receive(changes) }
  }

  /// Keeps a save for the context, if it merges saves by itself.
  func receive(_ changes: CommittedChanges) {
    let wakes = state.withLock { state -> [@Sendable () -> Void] in
      guard state.hears else { return [] }
      state.saves.append(changes)
      isFilled.store(true, ordering: .releasing)
      return state.wakes
    }
    for wake in wakes { wake() }
  }

  /// Returns the saves since the last look.
  func takeSaves() -> [CommittedChanges] {
    state.withLock { state in
      defer { state.saves = [] }
      isFilled.store(!state.learned.isEmpty, ordering: .releasing)
      return state.saves
    }
  }

  /// Returns the temporary IDs that became permanent; the saves stay.
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

  /// A context that merges by itself also lets go of a removed store's objects by itself.
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

  /// Whether the context does not hear what others have saved; notes their stores where it will have to catch up.
  private func isMissed(_ changes: CommittedChanges) -> Bool {
    state.withLock { state in
      guard !state.hearsRemoteChanges else { return false }
      state.lease.note(changes)
      return true
    }
  }
}

/// Who hears saves of other coordinators and processes through a context that would not hear them for itself.
private struct RemoteLease {
  /// How many they are.
  var count = 0
  /// Whether the context hears only for them.
  var isBorrowed = false
  /// The stores that others have written since the last of them went; nil where nobody has to catch up. Not what they
  /// have written: nobody may ever ask for it.
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
