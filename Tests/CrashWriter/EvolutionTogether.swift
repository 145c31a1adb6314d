// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Processes that open an old store with the new version of its model at the same time: one migrates it, all open it,
/// and all read what is right (M33).
struct EvolutionTogether {
  let kind: StoreKind
  let processes: Int
  let rounds: Int

  private static let count = 60

  /// Runs the rounds.
  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-together-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = (0..<rounds).map { folder.appending(path: "store-\($0)") }
    for url in urls { try VersionedStore(description: kind.describe(url)).prepare(Self.count) }
    defer { for url in urls { try? kind.remove(url) } }
    let start = folder.appending(path: "start")
    let children = try (0..<processes).map { _ in
      try Child(
        [
          "evolve-all", kind.name, folder.path(percentEncoded: false),
          start.path(percentEncoded: false), String(rounds),
        ])
    }
    for child in children { child.waitForLine() }
    try Data().write(to: start)
    let lines = children.map { $0.lines().dropFirst() }
    for (round, url) in urls.enumerated() {
      let outcomes = lines.map { $0.dropFirst(round).first ?? "nothing" }
      let right = ["migrated"] + [String](repeating: "found", count: processes - 1)
      try VersionedStore.require(
        outcomes.sorted() == right.sorted(), "in round \(round) they say \(outcomes)")
      try VersionedStore(description: kind.describe(url))
        .checkSecondVersion((0..<Self.count).map { VersionedStore.Item($0) })
    }
  }

  /// Opens one old store after the other, and tells whether it had to be migrated.
  static func evolve(_ kind: StoreKind, _ folder: URL, start: String, rounds: Int) throws {
    Terminal.say("ready")
    while access(start, F_OK) != 0 { usleep(200) }
    for round in 0..<rounds {
      let store = VersionedStore(
        description: try kind.describe(folder.appending(path: "store-\(round)")))
      // Each begins a round at the next tenth of a second of the clock that all see.
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      usleep(UInt32(100_000 - now.tv_nsec / 1_000 % 100_000))
      do {
        let steps = Atomic(0)
        let container = try PersistentContainer(
          name: "Versions", model: VersionedStore.model(.second), stores: [store.description])
        container.persistentStoreCoordinator.migrations.observe { _ in
          steps.add(1, ordering: .relaxed)
        }
        try container.loadPersistentStores()
        let context = container.newBackgroundContext()
        try context.performAndWait {
          try VersionedStore.compare((0..<count).map { .init($0) }, .second, context)
          context.reset()
        }
        VersionedStore.close(container)
        Terminal.say(steps.load(ordering: .relaxed) > 0 ? "migrated" : "found")
      } catch {
        Terminal.say("\(error)".replacing("\n", with: " "))
      }
    }
  }
}
