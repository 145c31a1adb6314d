// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import Synchronization

/// A program of the first version that has stores open, and counts in the metadata of each until it is refused because
/// another program has migrated the store.
final class OldProgram: Sendable {
  static let key = "written"

  private struct State {
    var isStopped = false
    /// The last number that a store has taken, for each one.
    var written: [Int64]
    var failure: (any Error)?
  }

  private let containers: [PersistentContainer]
  private let state: Mutex<State>
  private let isDone = DispatchSemaphore(value: 0)

  init(_ stores: [PersistentStoreDescription]) throws {
    containers = try stores.map { try VersionedStore(description: $0).open(.first) }
    state = Mutex(State(written: stores.map { _ in 0 }))
    // The first number is there whoever is faster.
    for index in containers.indices { _ = try write(1, index) }
  }

  /// Begins to write.
  func start() {
    Thread.detachNewThread { [self] in
      do {
        try writeAll()
      } catch {
        state.withLock { $0.failure = error }
      }
      isDone.signal()
    }
  }

  /// Ends at the end of a round, though stores may be of the first version: who was to migrate them has failed.
  ///
  /// - Returns: The last number that each store has taken.
  func stop() throws -> [Int64] {
    state.withLock { $0.isStopped = true }
    isDone.wait()
    for container in containers { VersionedStore.close(container) }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.written
    }
  }

  private func writeAll() throws {
    var open = Array(containers.indices)
    var number: Int64 = 1
    while !open.isEmpty {
      number += 1
      let isStopped = state.withLock { $0.isStopped }
      open = try open.filter { try write(number, $0) }
      if isStopped { return }
      usleep(500)
    }
  }

  /// Writes a number to the metadata of a store.
  ///
  /// - Returns: Whether the store is still of the first version.
  private func write(_ number: Int64, _ index: Int) throws -> Bool {
    let container = containers[index]
    let coordinator = container.persistentStoreCoordinator
    guard let store = coordinator.persistentStores.first else { return false }
    do {
      var metadata = try coordinator.metadata(for: store)
      metadata.userValues[Self.key] = .integer(number)
      try coordinator.setMetadata(metadata, for: store)
      let context = container.newBackgroundContext()
      try context.performAndWait { try context.save() }
      state.withLock { $0.written[index] = number }
      return true
    } catch let error as PersistenceError
      where error.code == .persistentStoreIncompatibleVersionHash
    {
      return false
    }
  }
}
