// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// The commits of a coordinator that overlap a reading of a history.
///
/// A commit is told after it was made, and transactions of others after they were read. Of a record that both insert
/// or delete, observers may therefore hear in the wrong order: they would then miss a record that is there, or keep
/// one that is gone. The reader leaves out such records, and looks them up when the commits were told.
final class OverlappingCommits: Sendable {
  /// The keys of the records that a commit inserts and deletes in a store.
  struct Part: Sendable {
    var store: StoreIdentity
    var keys: [Int64]
  }

  private struct State {
    var lastNumber = 0
    /// The commits that have begun and were not told yet.
    var open: [Int: [Part]] = [:]
    var readings = 0
    /// The commits that were told since the first of the readings under way began.
    var told: [Part] = []
  }

  private let state = Mutex(State())

  /// Notes that a commit begins.
  ///
  /// - Returns: The number to pass to ``end(_:)``; nil when there is nothing to note.
  func begin(_ parts: [Part]) -> Int? {
    guard parts.contains(where: { !$0.keys.isEmpty }) else { return nil }
    return state.withLock { state in
      state.lastNumber += 1
      state.open[state.lastNumber] = parts
      return state.lastNumber
    }
  }

  /// Notes that a commit was told, or has failed.
  func end(_ number: Int) {
    state.withLock { state in
      guard let parts = state.open.removeValue(forKey: number), state.readings > 0 else { return }
      state.told += parts
    }
  }

  /// Runs a reading of a history, together with what is told of it.
  func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.readings += 1 }
    defer {
      state.withLock { state in
        state.readings -= 1
        if state.readings == 0 { state.told = [] }
      }
    }
    return try body()
  }

  /// Returns the records that overlapping commits insert or delete.
  ///
  /// - Parameters:
  ///   - ids: The records to choose from.
  ///   - untold: Whether only commits that were not told yet count.
  func records(among ids: @autoclosure () -> [ObjectID], untold: Bool = false) -> [ObjectID] {
    let parts = state.withLock { state in
      state.open.values.joined() + (untold ? [] : state.told)
    }
    guard !parts.isEmpty else { return [] }
    var keys: [ObjectIdentifier: Set<Int64>] = [:]
    for part in parts { keys[ObjectIdentifier(part.store), default: []].formUnion(part.keys) }
    return ids().filter { id in
      id.storeIdentity.flatMap { keys[ObjectIdentifier($0)] }?.contains(id.key) == true
    }
  }
}
