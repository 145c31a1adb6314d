// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Processes that open an old store with the new version of its model at the same time: one migrates it, all open it,
/// and all read what is right (M33). With stages, a program of the old version has the stores open besides, and writes
/// to their metadata all the time (M28, M34).
struct EvolutionTogether {
  let kind: StoreKind
  let processes: Int
  let rounds: Int
  var isStaged = false

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
    let word = [
      "evolve-all", kind.name, folder.path(percentEncoded: false),
      start.path(percentEncoded: false), String(rounds),
    ]
    let children = try (0..<processes).map { _ in try Child(word + (isStaged ? ["staged"] : [])) }
    let old = try OldProgram(isStaged ? urls.map { try kind.describe($0) } : [])
    for child in children { child.waitForLine() }
    old.start()
    try Data().write(to: start)
    let lines = children.map { $0.lines().dropFirst() }
    let written = try old.stop()
    for (round, url) in urls.enumerated() {
      if isStaged {
        let found = try kind.describe(url)
        let values = try found.type.driver.metadata(of: found)?.userValues
        try VersionedStore.require(
          values == [OldProgram.key: .integer(written[round])],
          "in round \(round) the old program has written \(written[round]), the metadata have "
            + "\(values ?? [:])")
      }
      let outcomes = lines.map { $0.dropFirst(round).first ?? "nothing" }
      let right = ["migrated"] + [String](repeating: "found", count: processes - 1)
      try VersionedStore.require(
        outcomes.sorted() == right.sorted(), "in round \(round) they say \(outcomes)")
      try VersionedStore(description: kind.describe(url))
        .checkSecondVersion(Self.items(isStaged))
    }
  }

  /// What the items have in the end: each handler adds 1 to what it finds as `left`, so one that was called twice, or
  /// never, is found out.
  private static func items(_ isStaged: Bool) -> [VersionedStore.Item] {
    (0..<count).map { index in
      var item = VersionedStore.Item(index)
      if isStaged { (item.left, item.right) = (item.left + 1, item.right + 1) }
      return item
    }
  }

  private static func stages() -> StagedMigrationManager {
    func reference(_ version: VersionedStore.Version) -> ManagedObjectModelReference {
      let model = VersionedStore.model(version)
      return ManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let stage = CustomMigrationStage(migratingFrom: reference(.first), to: reference(.second))
    stage.willMigrateHandler = { manager, _ in try addOne(manager) }
    stage.didMigrateHandler = { manager, _ in try addOne(manager) }
    return StagedMigrationManager([stage])
  }

  private static func addOne(_ manager: StagedMigrationManager) throws {
    guard let context = manager.container?.newBackgroundContext() else { return }
    try context.performAndWait {
      for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
        let number = (try item.value(forKey: "left") as? NSNumber)?.int64Value ?? 0
        try item.setValue(number + 1, forKey: "left")
      }
      try context.save()
      context.reset()
    }
  }

  /// Opens one old store after the other, and tells whether it had to be migrated.
  static func evolve(
    _ kind: StoreKind, _ folder: URL, start: String, rounds: Int, isStaged: Bool
  ) throws {
    Terminal.say("ready")
    while access(start, F_OK) != 0 { usleep(200) }
    for round in 0..<rounds {
      var description = try kind.describe(folder.appending(path: "store-\(round)"))
      if isStaged { description.migration = stages() }
      let store = VersionedStore(description: description)
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
          try VersionedStore.compare(items(isStaged), .second, context)
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
