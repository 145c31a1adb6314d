// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

/// Makes one call after the other fail, once or permanently, while contexts save and read.
struct FaultMatrix {
  let kind: StoreKind
  let kinds: [FaultKind]
  /// The number of failures to try.
  let pointCount: Int
  let seed: UInt64
  /// Whether readers treat a failed read as an empty one: a deliberate defect, which the check must detect.
  let swallowsErrors: Bool
  /// The errors of the calls; nil for all that their kinds have.
  var errors: [Int32]?
  /// Whether a failed save is acknowledged: a deliberate defect, which the check must detect.
  var boasts = false

  private static let stepsBefore: Int64 = 3
  private static let attempts = 7

  /// The counts of a run.
  struct Report {
    var points = 0
    /// Points at which a call failed.
    var failures = 0
    /// The codes of the errors, with their numbers.
    var codes: [String: Int] = [:]
  }

  /// Runs all points.
  ///
  /// - Throws: A ``Finding`` for the first point with an inconsistency.
  func run() throws -> Report {
    var report = Report()
    var random = SplitMix64(seed: seed)
    let calls = try countCalls()
    var faults: [Fault] = []
    for kind in kinds {
      guard let count = calls[kind], count > 0 else { continue }
      for error in kind.errors where errors?.contains(error) ?? true {
        for isSticky in [false, true] {
          // Without a server, every request waits for its whole timeout.
          let step = isSticky && !self.kind.isFile && !kind.isCut ? 10 : 1
          for number in stride(from: 1, through: count, by: step) {
            faults.append(Fault(kind: kind, number: number, error: error, isSticky: isSticky))
          }
        }
      }
    }
    faults.shuffle(using: &random)
    for fault in faults.prefix(pointCount) {
      report.points += 1
      do {
        try run(fault, &report)
      } catch {
        throw Finding("with \(fault): \(error)")
      }
    }
    return report
  }

  /// Returns the number of calls of each kind in a run without failures.
  private func countCalls() throws -> [FaultKind: Int] {
    try WatchedFolder.with { folder in
      defer { kind.remove(folder) }
      try prepare(folder)
      Faults.count()
      var codes: [String: Int] = [:]
      _ = try use(folder, Self.stepsBefore...Self.stepsBefore, &codes)
      return Dictionary(uniqueKeysWithValues: kinds.map { ($0, Faults.calls($0)) })
    }
  }

  private func prepare(_ folder: String) throws {
    let bank = try Bank(kind.description(in: folder))
    defer { bank.close() }
    for step in 0..<Self.stepsBefore {
      try bank.step(after: step, bank.container.newBackgroundContext())
    }
  }

  private func run(_ fault: Fault, _ report: inout Report) throws {
    try WatchedFolder.with { folder in
      defer { kind.remove(folder) }
      // Half of the stores are created while calls fail.
      let isNew = fault.number.isMultiple(of: 2)
      if !isNew { try prepare(folder) }
      let start = isNew ? 0 : Self.stepsBefore
      Faults.plan(fault)
      let (bank, allowed) = try use(folder, start...start, &report.codes)
      if Faults.failures > 0 { report.failures += 1 }
      Faults.clear()
      var possible = allowed
      if let bank {
        defer { bank.close() }
        // Calls succeed again: the store must work without being reopened.
        let last = try bank.check(possible)
        try bank.step(after: last, bank.container.newBackgroundContext())
        possible = last + 1...last + 1
      }
      let again = try Bank(kind.description(in: folder))
      defer { again.close() }
      let last = try again.check(possible)
      try again.step(after: last, again.container.newBackgroundContext())
      _ = try again.check(last + 1...last + 1)
    }
  }

  /// Opens the store, saves and reads while calls fail.
  ///
  /// - Parameter start: The last step in the store.
  /// - Returns: The bank, unless it could not be opened, and the steps that may be the last one.
  private func use(
    _ folder: String, _ start: ClosedRange<Int64>, _ codes: inout [String: Int]
  ) throws -> (Bank?, ClosedRange<Int64>) {
    var allowed = start
    guard let bank = try open(folder, &codes) else { return (nil, allowed) }
    let context = bank.container.newBackgroundContext()
    for attempt in 0..<Self.attempts {
      var isSaving = false
      do {
        // A concurrent reader sees the content of the store or an error.
        let seen = try bank.check(allowed, swallowsErrors: swallowsErrors)
        allowed = seen...seen
        let last = try bank.last(context)
        try Finding.require(last == seen, "a context reads step \(last), another one \(seen)")
        isSaving = true
        try bank.step(after: last, context)
        allowed = last + 1...last + 1
      } catch let error as PersistenceError {
        codes[error.code.description, default: 0] += 1
        // `corruptStore` is wrong here: programs remove damaged files.
        try Finding.require(error.code != .corruptStore, "a request says \(error)")
        if isSaving, boasts {
          allowed = allowed.upperBound + 1...allowed.upperBound + 1
        } else if isSaving, error.leavesOutcomeOpen {
          allowed = allowed.lowerBound...allowed.upperBound + 1
        }
        context.rollback()
        context.reset()
      }
      // Halfway the store is opened once more, as by another program.
      if attempt == Self.attempts / 2, let other = try open(folder, &codes) { other.close() }
    }
    return (bank, allowed)
  }

  /// Opens the store. An error must not claim that the file is damaged, because it is not.
  private func open(_ folder: String, _ codes: inout [String: Int]) throws -> Bank? {
    do {
      return try Bank(kind.description(in: folder))
    } catch let error as PersistenceError {
      codes[error.code.description, default: 0] += 1
      let wrong: [PersistenceError.Code] = [
        .corruptStore, .persistentStoreTypeMismatch, .commitOutcomeUnknown,
        .persistentStoreIncompatibleSchema, .persistentStoreIncompatibleVersionHash,
      ]
      try Finding.require(!wrong.contains(error.code), "opening says \(error)")
      return nil
    }
  }
}

extension PersistenceError {
  /// Whether the save may be in the store although it failed.
  fileprivate var leavesOutcomeOpen: Bool {
    code == .commitOutcomeUnknown || underlyingErrors.contains { $0.code == .commitOutcomeUnknown }
  }
}
