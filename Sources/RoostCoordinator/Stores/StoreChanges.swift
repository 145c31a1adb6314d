// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Serialises changes of what a URL holds, and of whether and where a store is attached.
///
/// Opening and closing a store takes the time of its disk or its server. So only changes of the same URL or store
/// wait for each other: a store that cannot be reached delays no other one. Within a change, for example in the
/// handler of its notifications, the same thread may make others.
final class StoreChanges: Sendable {
  /// The URL or store that is changed.
  enum Subject: Hashable, Sendable {
    case place(String)
    case store(ObjectIdentifier)
  }

  /// The monitor of migrations of stores that are added.
  let migrations: MigrationMonitor
  /// Separates saves that let stores number records of other stores from changes that give the numbers another
  /// meaning (X50).
  let referenceGate = CommitGate()

  private let condition = NSCondition()
  // The subjects that threads hold, and those that they wait for; used for deadlock detection. Read and written only
  // while `condition` is locked.
  nonisolated(unsafe) private var owners: [Subject: ObjectIdentifier] = [:]
  nonisolated(unsafe) private var wishes: [ObjectIdentifier: Set<Subject>] = [:]

  init(clock: @escaping @Sendable () -> Double) {
    migrations = MigrationMonitor(clock: clock)
  }

  /// Runs a body with exclusive access to subjects.
  ///
  /// - Throws: What the body throws, and `storeBusy` when waiting would deadlock with another thread, because
  ///   handlers of notifications change each other's stores.
  func alone<Result>(with subjects: Set<Subject>, _ body: () throws -> Result) throws -> Result {
    let taken = try take(subjects)
    defer {
      condition.withLock {
        for subject in taken { owners[subject] = nil }
        condition.broadcast()
      }
    }
    return try body()
  }

  /// Acquires the subjects that this thread does not hold yet, all at once.
  private func take(_ subjects: Set<Subject>) throws -> Set<Subject> {
    let thread = ObjectIdentifier(Thread.current)
    condition.lock()
    defer { condition.unlock() }
    let missing = subjects.filter { owners[$0] != thread }
    wishes[thread] = missing
    defer { wishes[thread] = nil }
    while missing.contains(where: { owners[$0] != nil }) {
      guard !waits(for: thread, missing) else {
        throw PersistenceError(
          .storeBusy,
          "Another thread adds or removes this store, and waits for one that this thread adds or removes. "
            + "Do not add or remove stores in handlers of the coordinator's notifications.")
      }
      condition.wait()
    }
    for subject in missing { owners[subject] = thread }
    return missing
  }

  /// Returns whether an owner of subjects waits for a thread, directly or through others.
  private func waits(for thread: ObjectIdentifier, _ subjects: Set<Subject>) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var next = subjects.compactMap { owners[$0] }
    while let owner = next.popLast() {
      if owner == thread { return true }
      guard seen.insert(owner).inserted else { continue }
      next += (wishes[owner] ?? []).compactMap { owners[$0] }
    }
    return false
  }
}

extension PersistentStoreCoordinator {
  /// Runs a body while no other thread adds, removes or replaces a store at the same URLs.
  func changing<Result>(
    placesOf urls: [URL?], _ body: () throws -> Result
  ) throws -> Result {
    let places = urls.compactMap { StoreNaming.place(of: $0) }
    return try storeChanges.alone(with: Set(places.map { .place($0) }), body)
  }

  /// Runs a body while no other thread changes an attached store or what is at its URL.
  ///
  /// - Parameters:
  ///   - store: An attached store.
  ///   - url: Another URL that is changed; nil for none.
  ///   - body: Receives the attached store.
  /// - Throws: `storeRemoved` when it is not attached, and what the body throws.
  func changing<Result>(
    _ store: any PersistentStore, and url: URL? = nil, _ body: (AttachedStore) throws -> Result
  ) throws -> Result {
    while true {
      let attached = try requireAttached(store)
      var subjects: Set<StoreChanges.Subject> = [.store(ObjectIdentifier(attached))]
      for place in [attached.url, url].compactMap({ StoreNaming.place(of: $0) }) {
        subjects.insert(.place(place))
      }
      // Another thread may have moved or removed the store meanwhile.
      let result = try storeChanges.alone(with: subjects) { () -> Result? in
        try requireAttached(store) === attached ? try body(attached) : nil
      }
      if let result { return result }
    }
  }
}
