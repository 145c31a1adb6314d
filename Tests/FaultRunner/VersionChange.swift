// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

/// Migrates a store to another version of its model while power is lost or calls fail: it must have one of the two
/// versions, with its whole content.
struct VersionChange {
  let kind: StoreKind
  let count: Int
  let seed: UInt64
  /// Whether flushes are not recorded: a deliberate defect that loses a migration, which the check must detect.
  var forgetsFlushes = false

  // MARK: Power, and processes that are killed

  /// Opens the states that a power loss, or a kill, leaves at many points of a migration; for some states the second
  /// migration is interrupted too.
  ///
  /// - Returns: The number of opened states.
  func losePower() throws -> Int {
    try losePower(count - count / 2, defers: false) + losePower(count / 2, defers: true)
  }

  private func losePower(_ count: Int, defers: Bool) throws -> Int {
    try WatchedFolder.with { folder in
      let original = folder + "/original"
      try FileManager.default.createDirectory(atPath: original, withIntermediateDirectories: true)
      let versions = TwoVersions(description: kind.description(in: original), defers: defers)
      try versions.prepare()
      let record = try DiskRecord(of: original) { acknowledge in
        if forgetsFlushes { DiskRecord.forgetFlushes() }
        try versions.evolve()
        acknowledge(1)
      }
      var states = 0
      var seconds = 0
      _ = try StateWalk(record: record, stateCount: count, seed: seed)
        .run(below: folder) { state, acknowledged in
          states += 1
          if states.isMultiple(of: 20), acknowledged == nil {
            seconds += try interruptAgain(state, below: folder, seed + UInt64(states))
          } else {
            try inspect(state, isDone: acknowledged != nil)
          }
        }
      return states + seconds
    }
  }

  /// Interrupts the migration that follows an interrupted one.
  private func interruptAgain(
    _ state: String, below folder: String, _ seed: UInt64
  ) throws -> Int {
    let versions = TwoVersions(description: kind.description(in: state))
    let record = try DiskRecord(of: state) { acknowledge in
      try versions.evolve()
      acknowledge(1)
    }
    let second = folder + "/second"
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: second) }
    return try StateWalk(record: record, stateCount: 12, seed: seed).run(below: second) {
      try inspect($0, isDone: $1 != nil)
    }
  }

  private func inspect(_ folder: String, isDone: Bool) throws {
    let versions = TwoVersions(description: kind.description(in: folder))
    let isOld = try versions.isOfFirstVersion()
    try Finding.require(!isDone || !isOld, "the migration has returned, and is not there")
    try versions.checkSecondVersion()
  }

  // MARK: Calls that fail

  /// Makes call after call fail while a store is migrated.
  ///
  /// - Returns: The number of failed calls, and the number of points.
  func failCalls() throws -> (failures: Int, points: Int) {
    let (whole, deferred) = (
      try failCalls(count - count / 2, defers: false), try failCalls(count / 2, defers: true)
    )
    return (whole.failures + deferred.failures, whole.points + deferred.points)
  }

  private func failCalls(_ count: Int, defers: Bool) throws -> (failures: Int, points: Int) {
    var random = SplitMix64(seed: seed)
    let calls = try WatchedFolder.with { folder in
      let versions = TwoVersions(description: kind.description(in: folder), defers: defers)
      try versions.prepare()
      Faults.count()
      try versions.evolve()
      return Dictionary(uniqueKeysWithValues: FaultKind.calls.map { ($0, Faults.calls($0)) })
    }
    var faults: [Fault] = []
    for kind in FaultKind.calls {
      for error in kind.errors {
        for isSticky in [false, true] {
          for number in 1...max(1, calls[kind] ?? 0) where calls[kind] ?? 0 > 0 {
            faults.append(Fault(kind: kind, number: number, error: error, isSticky: isSticky))
          }
        }
      }
    }
    faults.shuffle(using: &random)
    var failures = 0
    for fault in faults.prefix(count) {
      do {
        if try fail(fault, defers: defers) { failures += 1 }
      } catch {
        throw Finding("with \(fault): \(error)")
      }
    }
    return (failures, min(count, faults.count))
  }

  /// - Returns: Whether a call failed.
  private func fail(_ fault: Fault, defers: Bool) throws -> Bool {
    try WatchedFolder.with { folder in
      let versions = TwoVersions(description: kind.description(in: folder), defers: defers)
      try versions.prepare()
      Faults.plan(fault)
      var isDone = true
      do {
        try versions.evolve()
      } catch let error as PersistenceError {
        isDone = false
        let wrong: [PersistenceError.Code] = [
          .corruptStore, .persistentStoreTypeMismatch, .inferredMappingModel,
          .migrationMissingSourceModel, .persistentStoreIncompatibleVersionHash,
        ]
        try Finding.require(!wrong.contains(error.code), "the migration says \(error)")
      }
      let hasFailed = Faults.failures > 0
      Faults.clear()
      try inspect(folder, isDone: isDone)
      return hasFailed
    }
  }
}
