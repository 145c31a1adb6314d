// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Several processes that insert the same unique values at the same time: each value has one winner.
struct Race {
  let kind: StoreKind
  let racers: Int
  let values: Int64

  /// Runs the race.
  ///
  /// - Returns: The number of values that each process inserted.
  func run() throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-race-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "ledger")
    let start = folder.appending(path: "start")
    let children = try (0..<racers).map { _ in
      try Child(
        [
          "claim", kind.name, url.path(percentEncoded: false), start.path(percentEncoded: false),
          String(values),
        ])
    }
    for child in children { child.waitForLine() }
    try Data().write(to: start)
    let wins = children.map { child in child.lines().compactMap { Int64($0) } }
    let all = wins.flatMap(\.self).sorted()
    guard all == Array(1...values) else {
      throw Inspection.Finding(description: "The values were won so: \(wins)")
    }
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    let numbers = try context.fetch(Parcel.fetchRequest()).map(\.number).sorted()
    guard numbers == all else {
      throw Inspection.Finding(description: "The store has \(numbers)")
    }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    try kind.remove(url)
    return wins.map(\.count)
  }

  /// Inserts value after value as soon as the race is started, and prints those that it could insert.
  static func claim(_ kind: StoreKind, _ url: URL, start: String, values: Int64) throws {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    Terminal.say("ready")
    while access(start, F_OK) != 0 { usleep(200) }
    for value in 1...values {
      let parcel = Parcel(context: context)
      parcel.number = value
      do {
        try context.save()
        Terminal.say("\(value)")
      } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
        context.delete(parcel)
      }
      // The last writer often gets the lock again first: a random pause lets the other processes write.
      usleep(UInt32.random(in: 0...3_000))
    }
  }
}
