// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

/// Records the writes of saves, and opens the states that a power loss could have left at any time.
struct PowerLoss {
  let kind: StoreKind
  let stateCount: Int
  let seed: UInt64
  /// Whether flushes are not recorded: a deliberate defect that loses saves, which the check must detect.
  let forgetsFlushes: Bool

  /// The number of recorded saves.
  private static let steps: Int64 = 24

  /// Records saves and opens the states.
  ///
  /// - Returns: The number of opened states.
  /// - Throws: A ``Finding`` for the first inconsistent state.
  func run() throws -> Int {
    try WatchedFolder.with { folder in
      let record = try self.record(in: folder + "/original")
      return try StateWalk(record: record, stateCount: stateCount, seed: seed)
        .run(below: folder) { state, acknowledged in
          try inspect(state, acknowledged)
        }
    }
  }

  private func record(in folder: String) throws -> DiskRecord {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try DiskRecord(of: folder) { acknowledge in
      var bank = try Bank(kind.description(in: folder))
      acknowledge(0)
      if forgetsFlushes { DiskRecord.forgetFlushes() }
      for step in 0..<Self.steps {
        let context = bank.container.newBackgroundContext()
        try bank.step(after: step, context)
        acknowledge(step + 1)
        guard step % 10 == 9 else { continue }
        // Closing writes too: it moves data that was set aside, such as a WAL, to its place.
        bank.close()
        bank = try Bank(kind.description(in: folder))
      }
      bank.close()
    }
  }

  /// Opens a state, compares it with the acknowledged saves, and saves once more.
  private func inspect(_ folder: String, _ acknowledged: Int64?) throws {
    let bank = try Bank(kind.description(in: folder))
    defer { bank.close() }
    let first = acknowledged ?? 0
    let last = try bank.check(first...first + 1)
    try bank.step(after: last, bank.container.newBackgroundContext())
    _ = try bank.check(last + 1...last + 1)
  }
}

/// Goes through points in time of a record, and the states that a power loss may leave at each of them.
struct StateWalk {
  let record: DiskRecord
  let stateCount: Int
  let seed: UInt64
  /// The disk on which the record begins; nil for one that has flushed the files that were there.
  var start: SimulatedDisk?

  /// Calls `inspect` with the folder of each state, and the last acknowledged save.
  ///
  /// - Returns: The number of states.
  func run(
    below folder: String, _ inspect: (String, Int64?) throws -> Void
  ) throws -> Int {
    var random = SplitMix64(seed: seed)
    var disk = start ?? SimulatedDisk(record.initial)
    var acknowledged: Int64?
    let losses = SimulatedDisk.Loss.allCases
    let moments = record.operations.count
    let likelihood = Double(stateCount) / Double(losses.count) / Double(max(1, moments))
    var count = 0
    for (index, operation) in record.operations.enumerated() {
      disk.apply(operation)
      if case .mark(let mark) = operation { acknowledged = mark }
      guard Double.random(in: 0..<1, using: &random) < likelihood || index == moments - 1 else {
        continue
      }
      for loss in losses {
        count += 1
        let state = "\(folder)/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: state) }
        try disk.writeRemains(loss, to: state, &random)
        do {
          try inspect(state, acknowledged)
        } catch {
          throw Finding(
            "after operation \(index) of \(moments), of what was not flushed \(loss) is lost, "
              + "\(acknowledged.map { "\($0)" } ?? "nothing") was acknowledged: \(error)")
        }
      }
    }
    return count
  }
}
