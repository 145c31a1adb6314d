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
      try listener.expect(pair.stack)
    },
    pair(
      "told-by-others", "a save that others have finished is told, too (X5)",
      needs: [.secondHandle]
    ) { pair in
      let (stack, decides, prepares) = (pair.stack, pair.decides, try pair.store("prepares"))
      let listener = OutdatedStores()
      stack.coordinator.addObserver(listener)
      try pair.change("1")
      decides.interrupt(.answer) { decides.cutOff() }
      try expectError(.commitOutcomeUnknown) { try stack.context.save() }
      decides.clear()
      // Another coordinator that opens the stores finishes the part.
      _ = try pair.stage.openSame(stack)
      try expectEqual(try prepares.preparation?.pending().count, 0, "the parts")
      try expectEqual(listener.heard, [], "while nobody knows")
      try pair.expect("1", "reached again")
      try listener.expect(stack)
    },
    ConformanceCase(
      .severalStores, "atomic.told-alone",
      "a save to one store whose answer is lost is told when the store is reached again (X5)"
    ) { stage in
      let faults = FaultSwitch()
      let stack = try stage.open(
        ListWorkload.makeModel(isUnique: true), on: [try stage.makeStore().interposed(faults)])
      let register = try stack.context.make("Register", ["name": "alone", "list": "0"])
      try stack.context.save()
      let listener = OutdatedStores()
      stack.coordinator.addObserver(listener)
      try register.set("list", "1")
      faults.fail(.answer)
      try expectError(.commitOutcomeUnknown) { try stack.context.save() }
      try expectEqual(listener.heard, [], "while nobody knows")
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(try fresh.named("Register", "alone").text("list"), "1", "reached again")
      try listener.expect(stack)
    },
  ]
}

/// Records which stores may be out of date.
private final class OutdatedStores: CoordinatorObserver {
  private let stores = Mutex<[Set<String>]>([])

  var hearsCommits: Bool { true }
  var heard: [Set<String>] { stores.withLock { $0 } }

  /// Waits for the message that all stores of a stack may be out of date.
  func expect(_ stack: ConformanceStack) throws {
    for _ in 0..<500 where heard.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
    try expectEqual(
      heard.first, Set(stack.coordinator.persistentStores.map(\.identity.identifier)),
      "the stores that may be out of date")
  }

  func coordinator(_ coordinator: PersistentStoreCoordinator, didRemove store: StoreIdentity) {}

  func coordinator(
    _ coordinator: PersistentStoreCoordinator, didCommit changes: CommittedChanges
  ) {
    guard !changes.outdatedStores.isEmpty else { return }
    stores.withLock { $0.append(Set(changes.outdatedStores.map(\.identifier))) }
  }
}
