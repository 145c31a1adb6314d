// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore
import Synchronization

/// Coordinators that only look on while another one saves, or that are told late.
extension AtomicSaveCases {
  /// Asks for saves in doubt, and so does another program that begins now.
  ///
  /// - Returns: How many there are.
  private static func lookOn(
    _ other: PersistentStoreCoordinator, _ stores: [PersistentStoreDescription]
  ) throws -> Int {
    let late = try PersistentStoreCoordinator(managedObjectModel: other.managedObjectModel)
    for store in stores { try late.addPersistentStore(with: store) }
    defer { for store in late.persistentStores { try? late.remove(store) } }
    return try [other, late].reduce(0) { try $0 + SavesInDoubt(of: $1).list().count }
  }

  static let watching: [ConformanceCase] = [
    pair(
      "watched", "a save that takes long is not ended by others who only look (X6)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let order = try SaveOrder(of: pair.stack.coordinator.attachedStores)
      guard order.joined.isEmpty else { return }
      let other = try pair.stage.openSame(pair.stack).coordinator
      let (decides, stores) = (
        pair.decides, [pair.descriptions.prepares, pair.descriptions.decides]
      )
      let changes = RemoteChanges(to: other)
      changes.beginMerging()
      let attempts = Mutex(1)
      let doubts = Mutex<Result<Int, any Error>?>(nil)
      decides.interrupt(.decide) {
        decides.interrupt(.decide) { attempts.withLock { $0 += 1 } }
        // Longer than the grace period of who writes.
        for _ in 0..<12 {
          changes.look()
          Thread.sleep(forTimeInterval: 0.05)
        }
        let found = Result { try lookOn(other, stores) }
        doubts.withLock { $0 = found }
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expectEqual(try doubts.withLock { $0 }?.get(), 0, "what is being written is not in doubt")
      try expectEqual(attempts.withLock { $0 }, 1, "attempts")
      try pair.expect("1", "saved")
      try pair.expectNothingLeft("saved")
    },
    pair(
      "told-late", "a save that turns out to have succeeded is told then (X5)"
    ) { pair in
      let order = try SaveOrder(of: pair.stack.coordinator.attachedStores)
      // One transaction has no part that is left.
      guard order.joined.isEmpty else { return }
      let (context, decides) = (pair.stack.context, pair.decides)
      let listener = OutdatedStores()
      pair.stack.coordinator.addObserver(listener)
      try pair.change("1")
      // The save is decided, but the response is lost.
      decides.interrupt(.answer) { decides.cutOff() }
      try expectError(.commitOutcomeUnknown) { try context.save() }
      try expectEqual(listener.heard, [], "while nobody knows")
      decides.clear()
      try pair.expect("1", "reached again")
      for _ in 0..<500 where listener.heard.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
      try expectEqual(
        listener.heard.first,
        Set(pair.stack.coordinator.persistentStores.map(\.identity.identifier)),
        "the stores that were written")
    },
  ]
}

/// Records which stores may be out of date.
private final class OutdatedStores: CoordinatorObserver {
  private let stores = Mutex<[Set<String>]>([])

  var hearsCommits: Bool { true }
  var heard: [Set<String>] { stores.withLock { $0 } }

  func coordinator(_ coordinator: PersistentStoreCoordinator, didRemove store: StoreIdentity) {}

  func coordinator(
    _ coordinator: PersistentStoreCoordinator, didCommit changes: CommittedChanges
  ) {
    guard !changes.outdatedStores.isEmpty else { return }
    stores.withLock { $0.append(Set(changes.outdatedStores.map(\.identifier))) }
  }
}
