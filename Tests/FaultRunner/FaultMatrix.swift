// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

/// Makes call after call fail, once or from then on, while contexts save and read.
struct FaultMatrix {
  let kind: StoreKind
  let kinds: [FaultKind]
  /// How many failures are tried.
  let pointCount: Int
  let seed: UInt64
  /// Whether readers take a failed read for an empty one: programs that are wrong, which must be found out.
  let swallowsErrors: Bool
  /// Whether a save that failed is said to be made: a store that is wrong, which must be found out.
  var boasts = false

  private static let stepsBefore: Int64 = 3
  private static let attempts = 7

  /// What a run has seen.
  struct Report {
    var points = 0
    /// Points at which a call did fail.
    var failures = 0
    /// How the errors were called.
    var codes: [String: Int] = [:]
  }

  /// Runs everything.
  ///
  /// - Throws: A ``Finding`` for the first point at which something is wrong.
  func run() throws -> Report {
    var report = Report()
    var random = SplitMix64(seed: seed)
    let calls = try countCalls()
    var faults: [Fault] = []
    for kind in kinds {
      guard let count = calls[kind], count > 0 else { continue }
      for error in kind.errors {
        for isSticky in [false, true] {
          // A server that is gone keeps every request waiting for its whole time.
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

  /// How many calls of each kind there are when nothing fails.
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
      // Half of the stores are made while calls fail.
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
        // All is well again: so is the store, without being opened anew.
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
  /// - Parameter start: The step that is there.
  /// - Returns: The bank, unless it could not be opened, and the steps that may be there.
  private func use(
    _ folder: String, _ start: ClosedRange<Int64>, _ codes: inout [String: Int]
  ) throws -> (Bank?, ClosedRange<Int64>) {
    var allowed = start
    guard let bank = try open(folder, &codes) else { return (nil, allowed) }
    let context = bank.container.newBackgroundContext()
    for attempt in 0..<Self.attempts {
      var isSaving = false
      do {
        // Others read meanwhile, and see what is there or an error.
        let seen = try bank.check(allowed, swallowsErrors: swallowsErrors)
        allowed = seen...seen
        let last = try bank.last(context)
        try Finding.require(last == seen, "a context reads step \(last), another one \(seen)")
        isSaving = true
        try bank.step(after: last, context)
        allowed = last + 1...last + 1
      } catch let error as PersistenceError {
        codes[error.code.description, default: 0] += 1
        // Programs remove files that are damaged.
        try Finding.require(error.code != .corruptStore, "a request says \(error)")
        if isSaving, boasts {
          allowed = allowed.upperBound + 1...allowed.upperBound + 1
        } else if isSaving, error.leavesOutcomeOpen {
          allowed = allowed.lowerBound...allowed.upperBound + 1
        }
        context.rollback()
        context.reset()
      }
      // In the middle the store is opened anew, as by another program.
      if attempt == Self.attempts / 2, let other = try open(folder, &codes) { other.close() }
    }
    return (bank, allowed)
  }

  /// Opens the store. What it says when it cannot must be true: the file is whole.
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
  /// Whether the save may be there although it failed.
  fileprivate var leavesOutcomeOpen: Bool {
    code == .commitOutcomeUnknown || underlyingErrors.contains { $0.code == .commitOutcomeUnknown }
  }
}
