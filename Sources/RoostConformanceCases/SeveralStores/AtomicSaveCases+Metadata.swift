// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Metadata that are part of a save over several stores.
extension AtomicSaveCases {
  private typealias Values = [String: MetadataValue]

  /// Changes the user values of the store at one place, without saving.
  private static func set(
    _ place: String, in stack: ConformanceStack, _ change: (inout Values) -> Void
  ) throws {
    let store = try store(at: place, in: stack)
    var metadata = try stack.coordinator.metadata(for: store)
    change(&metadata.userValues)
    try stack.coordinator.setMetadata(metadata, for: store)
  }

  private static func store(
    at place: String, in stack: ConformanceStack
  ) throws -> any PersistentStore {
    try require(
      stack.coordinator.persistentStores.first { $0.identity.identifier == place }, "the store")
  }

  static let metadata: [ConformanceCase] = [
    pair(
      "metadata",
      "a part that another process finishes changes only values that its save changed (X3, B244)",
      needs: [.reopening, .secondHandle]
    ) { pair in
      let place = try pair.store("prepares").identity.identifier
      try set(place, in: pair.stack) { $0 = ["old": .integer(1), "kept": .integer(1)] }
      try pair.stack.context.save()
      // Others change values that the save below does not know of.
      let others = try pair.stage.openSame(pair.stack)
      try set(place, in: others) {
        $0["old"] = nil
        $0["other"] = .integer(2)
      }
      try others.context.save()
      others.close()
      try set(place, in: pair.stack) {
        $0["kept"] = nil
        $0["mine"] = .integer(3)
      }
      try leavePart(pair, decided: true)
      try pair.stack.reopen()
      try pair.expect("1", "finished")
      let wanted: Values = ["other": .integer(2), "mine": .integer(3)]
      let known = try pair.stack.coordinator.metadata(for: store(at: place, in: pair.stack))
      try expectEqual(known.userValues, wanted, "the values that the finishing process knows")
      // And it writes over what it has finished.
      try set(place, in: pair.stack) { $0["late"] = .integer(4) }
      try pair.stack.context.save()
      try pair.stack.reopen()
      let stored = try pair.stack.coordinator.metadata(for: store(at: place, in: pair.stack))
      try expectEqual(
        stored.userValues, wanted.merging(["late": .integer(4)]) { first, _ in first },
        "the values after another save")
    },
    pair(
      "metadata-retry",
      "a save that waits for a part's metadata changes only its own values then (X7, B244)",
      needs: [.reopening, .secondHandle]
    ) { pair in
      let place = try pair.store("prepares").identity.identifier
      let others = try pair.stage.openSame(pair.stack)
      try set(place, in: pair.stack) { $0["mine"] = .integer(3) }
      try leavePart(pair, decided: true)
      // The part is in the way of this save, which finishes it, and is written then.
      try set(place, in: others) { $0["other"] = .integer(2) }
      try others.context.save()
      others.close()
      try pair.stack.reopen()
      let stored = try pair.stack.coordinator.metadata(for: store(at: place, in: pair.stack))
      try expectEqual(
        stored.userValues, ["mine": .integer(3), "other": .integer(2)], "the values of both")
    },
  ]
}
