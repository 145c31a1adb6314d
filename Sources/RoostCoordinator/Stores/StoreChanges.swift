// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Lets one thread at a time change what is at a place, or whether and where a store is attached.
///
/// Opening and closing a store takes the time of its disk or its server. So only those wait for each other who change
/// the same place or store: one that cannot be reached holds up no other one. Within a change, as in the handler of its
/// notifications, the same thread may make others.
final class StoreChanges: Sendable {
  /// What is changed.
  enum Subject: Hashable, Sendable {
    case place(String)
    case store(ObjectIdentifier)
  }

  /// Told of the migrations of stores that are added.
  let migrations: MigrationMonitor
  /// Keeps those who let stores number records of others from who lets the numbers mean other records (X50).
  let referenceGate = CommitGate()

  private let condition = NSCondition()
  // Who has what, and what threads wait for that may have something themselves: read and written only while
  // `condition` is locked.
  nonisolated(unsafe) private var owners: [Subject: ObjectIdentifier] = [:]
  nonisolated(unsafe) private var wishes: [ObjectIdentifier: Set<Subject>] = [:]

  init(clock: @escaping @Sendable () -> Double) {
    migrations = MigrationMonitor(clock: clock)
  }

  /// Runs a body that nobody else disturbs who changes the same.
  ///
  /// - Throws: What the body throws, and `storeBusy` when another thread would wait for this one for ever, because
  ///   handlers of notifications change what the other one changes.
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

  /// Takes what this thread has not taken yet, all of it at once.
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

  /// Whether an owner of subjects waits for a thread, directly or through others.
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
  /// Runs a body that nobody else disturbs who adds, removes or replaces a store at the same places.
  func changing<Result>(
    placesOf urls: [URL?], _ body: () throws -> Result
  ) throws -> Result {
    let places = urls.compactMap { StoreNaming.place(of: $0) }
    return try storeChanges.alone(with: Set(places.map { .place($0) }), body)
  }

  /// Runs a body that nobody else disturbs who changes an attached store or what is at its place.
  ///
  /// - Parameters:
  ///   - store: An attached store.
  ///   - url: Another place that is changed; nil for none.
  ///   - body: Gets the store as it is attached.
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
      // Another thread may have moved or removed it meanwhile.
      let result = try storeChanges.alone(with: subjects) { () -> Result? in
        try requireAttached(store) === attached ? try body(attached) : nil
      }
      if let result { return result }
    }
  }
}
