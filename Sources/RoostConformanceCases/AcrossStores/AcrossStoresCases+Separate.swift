// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

/// Relationships into stores that cannot take part in atomic saves, where the coordinator saves these one after the
/// other (`.atomicWherePossible`).
extension AcrossStoresCases {
  static let separate: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "where-possible.order",
      "where a save is not atomic, a record is written before what refers to it (X44)"
    ) { stage in
      for isReversed in [false, true] {
        let scene = try SeparateScene(stage, isReversed: isReversed)
        let context = scene.stack.context
        let album = try context.make("Album", ["name": "Rome"])
        let photo = try context.make("Photo", ["name": "p", "album": album])
        try context.save()
        try expectEqual(scene.commits.take(), ["Server", "Device"], "a new destination")
        // Links lie in the store of the photo, too.
        let tag = try context.make("Tag", ["name": "t"])
        try context.assign(tag, to: scene.store("Server"))
        try photo.add(tag, to: "tags")
        try context.save()
        try expectEqual(scene.commits.take(), ["Server", "Device"], "a link to a new destination")
        scene.stack.close()
      }
    },
    ConformanceCase(
      .acrossStores, "where-possible.failure",
      "a save that is not atomic and ends in between leaves no reference to what is missing (X44, X45)"
    ) { stage in
      for (number, fails) in ["Server", "Device"].enumerated() {
        let scene = try SeparateScene(stage, isReversed: false)
        let context = scene.stack.context
        let album = try context.make("Album", ["name": "Rome"])
        try context.make("Photo", ["name": "p", "album": album])
        scene.commits.failNext(in: fails)
        try expectError(number == 0 ? .storeFull : .persistentStoreIncompleteSave) {
          try context.save()
        }
        // A process that is started after this one was killed finds the same.
        let fresh = scene.stack.makeContext()
        try expectEqual(try fresh.all("Album").count, number, "\(fails) fails: albums")
        try expectEqual(try fresh.all("Photo").count, 0, "\(fails) fails: photos")
        let dangling = try scene.stack.coordinator.danglingReferences(in: scene.store("Device"))
        try expect(dangling.isEmpty, "\(fails) fails: references to what is missing")
        try context.save()
        try scene.stack.readAnew()
        try expectEqual(
          try scene.stack.context.named("Album", "Rome").names("photos"), ["p"], "saved again")
        scene.stack.close()
      }
    },
  ]
}

/// Two stores that cannot prepare: photos are on the device, albums on the server.
private struct SeparateScene {
  let stack: ConformanceStack
  let commits: CommitLog

  init(_ stage: ConformanceStage, isReversed: Bool) throws {
    let commits = CommitLog()
    self.commits = commits
    let stores = try ["Device", "Server"].map { name in
      var description = try stage.makeStore()
      description.configuration = name
      return description.forwarded { UnpreparedStore($0, name, commits) }
    }
    stack = try stage.open(
      try AcrossStoresCases.model(), on: isReversed ? stores.reversed() : stores)
    stack.coordinator.saveTraffic.policy = .atomicWherePossible
    _ = commits.take()
  }

  func store(_ configuration: String) throws -> any PersistentStore {
    try require(
      stack.coordinator.attachedStores.first {
        $0.store.description.configuration == configuration
      }?.store, "the store of \(configuration)")
  }
}

/// The names of the stores that were written, in order.
private final class CommitLog: Sendable {
  private let state = Mutex((names: [String](), failing: String?.none))

  func note(_ name: String) throws {
    try state.withLock { state in
      guard state.failing != name else {
        state.failing = nil
        throw PersistenceError(.storeFull, "Full.")
      }
      state.names.append(name)
    }
  }

  /// Returns the names, and forgets them.
  func take() -> [String] {
    state.withLock { state in
      defer { state.names = [] }
      return state.names
    }
  }

  func failNext(in name: String) { state.withLock { $0.failing = name } }
}

/// A store that cannot take part in atomic saves.
private final class UnpreparedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: its state is constant, or behind a lock.

  private let name: String
  private let commits: CommitLog

  init(_ base: any PersistentStore, _ name: String, _ commits: CommitLog) {
    (self.name, self.commits) = (name, commits)
    super.init(base)
  }

  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    UnpreparedStore(base, name, commits)
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try commits.note(name)
    return try base.commit(changes)
  }

  override var preparation: (any StorePreparation)? { nil }
}
