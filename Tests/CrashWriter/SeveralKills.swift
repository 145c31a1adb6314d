// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Kills a process that saves to several stores before and after each store call, and again during the recovery, and
/// checks that the stores agree (X30).
struct SeveralKills {
  let kinds: [StoreKind]
  /// The number of kill points to try; they are used in order, repeatedly.
  let points: Int
  let seed: UInt64
  /// How the writer deliberately saves wrongly.
  let defect: SeveralDefect?

  struct Report {
    var points = 0
    /// Kills during the recovery from a kill.
    var recoveries = 0
    /// The number of calls of an undisturbed run.
    var calls = 0
    /// Saves that are in the stores although they were not acknowledged.
    var unacknowledged = 0
  }

  private var names: String { kinds.map(\.name).joined(separator: ",") }

  /// Runs all points.
  ///
  /// - Throws: An `Inspection.Finding` for the first inconsistency.
  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-several-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SplitMix64(seed: seed)
    var report = Report()
    var point = Int.random(in: 1...20, using: &random)
    while report.points < points {
      let places = SeveralPlaces(
        kinds: kinds, folder: folder.appending(path: "round-\(report.points)"))
      try FileManager.default.createDirectory(
        at: places.folder, withIntermediateDirectories: true)
      // In half of the rounds the stores have earlier saves.
      if Bool.random(using: &random) { _ = try write(places, killedAt: 0, &report) }
      guard try write(places, killedAt: point, &report) else {
        // The run has fewer calls than that: begin with the first one again.
        try places.remove()
        point = 1
        continue
      }
      report.points += 1
      point += 1
      while Int.random(in: 0..<3, using: &random) == 0 {
        let again = Int.random(in: 1...12, using: &random)
        guard try write(places, killedAt: again, &report) else { break }
        report.recoveries += 1
      }
      try inspect(places)
      try places.remove()
    }
    return report
  }

  /// Runs a writer, and records its last acknowledged save.
  ///
  /// - Returns: Whether it was killed.
  private func write(
    _ places: SeveralPlaces, killedAt point: Int, _ report: inout Report
  ) throws -> Bool {
    let child = try Child(
      ["several-write", names, places.folder.path(percentEncoded: false), "\(point)"]
        + (defect.map { [$0.rawValue] } ?? []))
    let lines = child.lines()
    try places.waitUntilLeft()
    if let last = lines.last, last.hasPrefix("done ") {
      report.calls = Int(last.dropFirst(5)) ?? 0
      return false
    }
    guard point > 0 else {
      throw Inspection.Finding(description: "A writer that was not killed said: \(lines)")
    }
    let acknowledged = lines.last.flatMap { line in
      line.hasPrefix("ready ") ? Int64(line.dropFirst(6)) : Int64(line)
    }
    try note(acknowledged, at: places)
    return true
  }

  /// Stores the last save that any writer acknowledged in a file in the same folder as the stores.
  private func note(_ acknowledged: Int64?, at places: SeveralPlaces) throws {
    guard let acknowledged else { return }
    try Data("\(acknowledged)".utf8).write(to: note(of: places))
  }

  private func note(of places: SeveralPlaces) -> URL {
    places.folder.appending(path: "acknowledged")
  }

  /// Opens the stores, which must recover completely: no prepared part may remain.
  private func inspect(_ places: SeveralPlaces) throws {
    let text = try? String(contentsOf: note(of: places), encoding: .utf8)
    let acknowledged = text.flatMap { Int64($0) }
    let last = try opening(places) { ledger in
      let last = try ledger.check(acknowledged: nil)
      if let acknowledged, last < acknowledged {
        throw Inspection.Finding(description: "lost: \(acknowledged) was told, there is \(last)")
      }
      try ledger.requireNothingLeft("after recovery")
      return last
    }
    // Further saves succeed.
    try opening(places) { ledger in
      _ = try ledger.prepare()
      try ledger.save(last + 1)
    }
    try opening(places) { ledger in
      _ = try ledger.check(acknowledged: last + 1)
      try ledger.requireNothingLeft("after another save")
    }
    if let damage = places.findDamage() {
      throw Inspection.Finding(description: "a file is damaged: \(damage)")
    }
  }

  private func opening<Result>(
    _ places: SeveralPlaces, _ body: (SeveralLedger) throws -> Result
  ) throws -> Result {
    let ledger = SeveralLedger(container: try places.open(killing: false), places: places)
    let result = Swift.Result { try body(ledger) }
    try ledger.close()
    return try result.get()
  }
}
