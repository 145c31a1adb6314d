// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Copies of a store whose process is killed: an incomplete copy must not be taken for a complete store, and must not
/// prevent the next copy.
struct Migration {
  let kind: StoreKind

  /// The number of records of the copied store.
  static let count: Int64 = 900

  /// Kills a copy at each of its steps, and repeats the copy after each kill.
  ///
  /// - Returns: The number of killed copies.
  func run() throws -> Int {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-copies-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "source")
    try Self.fill(source)
    var kills = 0
    for step in 1...40 {
      let url = folder.appending(path: "copy-\(step)")
      let lines = try Child(
        ["copy", kind.name, url.path(percentEncoded: false), String(step)]
      ).lines()
      try kind.waitUntilLeft(url)
      defer { try? kind.remove(url) }
      guard lines != ["done"] else { break }
      kills += 1
      do {
        let container = try kind.open(at: url)
        let found = try container.newBackgroundContext().count(for: Tag.fetchRequest())
        throw Inspection.Finding(
          description: "Killed at step \(step), the copy opens and has \(found) records.")
      } catch let error as PersistenceError where error.code == .persistentStoreOpen {
        // The store is marked as incomplete.
      }
      try Self.copy(kind, source, to: url, killedAt: nil)
      let container = try kind.open(at: url)
      let found = try container.newBackgroundContext().count(for: Tag.fetchRequest())
      guard found == Int(Self.count) else {
        throw Inspection.Finding(
          description:
            "After a copy that was killed at step \(step), the next has \(found) records.")
      }
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
    return kills
  }

  private static func fill(_ url: URL) throws {
    let container = try StoreKind.all[0].open(at: url)
    let context = container.newBackgroundContext()
    for number in 0..<count { Tag(context: context).name = "tag \(number)" }
    try context.save()
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  /// Copies the source store to a URL.
  ///
  /// - Parameter step: The step at which the process kills itself; nil for a copy that is completed.
  static func copy(_ kind: StoreKind, _ source: URL, to url: URL, killedAt step: Int?) throws {
    let container = try StoreKind.all[0].open(at: source)
    let coordinator = container.persistentStoreCoordinator
    let place = try kind.describe(url)
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: place.url, options: place.options, type: place.type,
      progress: SuicidalProgress(step: step ?? .max))
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}

/// A progress that kills its process at the n-th check for cancellation.
private final class SuicidalProgress: Progress, @unchecked Sendable {
  // Sendable: one thread copies, and no other reads the progress.
  private var left: Int

  init(step: Int) {
    left = step
    super.init(parent: nil)
  }

  override var isCancelled: Bool {
    get {
      left -= 1
      if left == 0 { kill(getpid(), SIGKILL) }
      return false
    }
    set {}
  }
}

/// Processes that create one new store at the same time, round after round.
struct Making {
  let kind: StoreKind
  let processes: Int
  let rounds: Int

  /// Runs the rounds; in each, all must open the same store.
  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-making-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let start = folder.appending(path: "start")
    let children = try (0..<processes).map { _ in
      try Child(
        [
          "make", kind.name, folder.path(percentEncoded: false), start.path(percentEncoded: false),
          String(rounds),
        ])
    }
    for child in children { child.waitForLine() }
    try Data().write(to: start)
    let lines = children.map { $0.lines().dropFirst() }
    for round in 0..<rounds {
      defer { try? kind.remove(folder.appending(path: "store-\(round)")) }
      let identifiers = lines.map { $0.dropFirst(round).first ?? "nothing" }
      guard Set(identifiers).count == 1, UUID(uuidString: identifiers[0]) != nil else {
        throw Inspection.Finding(description: "In round \(round) they opened \(identifiers)")
      }
    }
  }

  /// Opens one new store after the other as soon as the start file exists, and prints the UUIDs. All processes wait
  /// for each other before each store.
  static func make(_ kind: StoreKind, _ folder: URL, start: String, rounds: Int) throws {
    Terminal.say("ready")
    while access(start, F_OK) != 0 { usleep(200) }
    for round in 0..<rounds {
      // Each process begins a round at the next tenth of a second of the system clock.
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      usleep(UInt32(100_000 - now.tv_nsec / 1_000 % 100_000))
      do {
        let store = try kind.describe(folder.appending(path: "store-\(round)"))
        let container = try kind.open(store)
        let coordinator = container.persistentStoreCoordinator
        Terminal.say(coordinator.persistentStores[0].identity.identifier)
      } catch {
        Terminal.say("\(error)")
      }
    }
  }
}
