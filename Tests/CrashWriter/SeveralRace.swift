// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Processes that increment the same counters of several stores at once: no increment is lost, and all stores agree.
struct SeveralRace {
  let kinds: [StoreKind]
  let processes: Int
  /// The number of increments of each process.
  let count: Int

  struct Report {
    /// Saves that were refused because of a concurrent save of another process.
    var refused = 0
  }

  /// Runs the processes.
  ///
  /// - Throws: An `Inspection.Finding` when the stores differ, or have a wrong number.
  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-several-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let places = SeveralPlaces(kinds: kinds, folder: folder)
    defer { try? places.remove() }
    let ledger = SeveralLedger(container: try places.open(killing: false), places: places)
    _ = try ledger.prepare()
    let names = kinds.map(\.name).joined(separator: ",")
    let children = try (0..<processes).map { _ in
      try Child(["several-count", names, folder.path(percentEncoded: false), "\(count)"])
    }
    var report = Report()
    for child in children {
      let lines = child.lines()
      guard let last = lines.last, last.hasPrefix("refused "), let refused = Int(last.dropFirst(8))
      else { throw Inspection.Finding(description: "A process said: \(lines)") }
      report.refused += refused
    }
    let numbers = try ledger.numbers()
    guard Set(numbers) == [Int64(processes * count)], numbers.count == kinds.count else {
      throw Inspection.Finding(
        description: "\(processes * count) were counted, and the stores have \(numbers)")
    }
    try ledger.close()
    let again = SeveralLedger(container: try places.open(killing: false), places: places)
    try again.requireNothingLeft("after all processes")
    try again.close()
    return report
  }

  /// Increments the counters in all stores, and prints the number of conflicts.
  static func count(_ places: SeveralPlaces, _ count: Int) throws {
    let ledger = SeveralLedger(container: try places.open(killing: false), places: places)
    var (done, refused) = (0, 0)
    while done < count {
      do {
        try ledger.countUp()
        done += 1
      } catch let error as PersistenceError
        where [.managedObjectMerge, .storeBusy, .saveInDoubt].contains(error.code)
      {
        refused += 1
        usleep(UInt32.random(in: 0...2_000))
      }
    }
    try ledger.close()
    Terminal.say("refused \(refused)")
  }
}

extension SeveralLedger {
  /// Returns the values of the counters.
  func numbers() throws -> [Int64] {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    return try context.fetch(Counter.fetchRequest()).map(\.last)
  }

  /// Adds one to each counter.
  func countUp() throws {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    for counter in try context.fetch(Counter.fetchRequest()) { counter.last += 1 }
    try context.save()
  }
}
