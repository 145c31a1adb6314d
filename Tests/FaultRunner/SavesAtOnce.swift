// SPDX-License-Identifier: Apache-2.0

import FaultShim
import Foundation
import Roost
import RoostSimulation
import Synchronization

/// Contexts that save at once, so that a store commits several saves together, while flushes and writes fail: an
/// acknowledged save must be in the store, and a refused one must not.
struct SavesAtOnce {
  let kind: StoreKind
  /// The number of failures to try.
  let pointCount: Int
  let seed: UInt64
  /// Whether saves run one after the other: a deliberate defect without group commit, which the check must detect.
  let takesTurns: Bool

  private static let writers = 8
  private static let savesEach: Int64 = 5

  /// The counts of a run.
  struct Report {
    var points = 0
    /// Points at which a call failed.
    var failures = 0
    /// Saves and flushes in a run without failures.
    var saves = 0
    var flushes = 0
  }

  /// The state of a journal as its writer knows it.
  private struct Knowledge: Sendable {
    var last: Int64 = 0
    /// Whether one more save may be in the store.
    var isOpen = false
    var error: (any Error)?

    var allowed: ClosedRange<Int64> { last...last + (isOpen ? 1 : 0) }
  }

  /// Runs all points.
  ///
  /// - Throws: A ``Finding`` for the first inconsistency.
  func run() throws -> Report {
    var report = Report()
    try countFlushes(&report)
    var random = SplitMix64(seed: seed)
    for point in 0..<pointCount {
      let kinds: [FaultKind] = [.sync, .write]
      let failing = kinds[point % 2]
      let fault = Fault(
        kind: failing, number: .random(in: 1...(failing == .sync ? 8 : 24), using: &random),
        error: failing.errors.randomElement(using: &random) ?? EIO, isSticky: point % 4 > 1)
      report.points += 1
      do {
        if try run(fault) { report.failures += 1 }
      } catch {
        throw Finding("with \(fault): \(error)")
      }
    }
    return report
  }

  private func open(_ folder: String) throws -> Bank {
    var description = kind.description(in: folder)
    // No other process has the file, so a lock is granted as soon as the earlier holders are done.
    description.timeout = 30
    return try Bank(description)
  }

  private func prepare(_ bank: Bank) throws {
    let context = bank.container.newBackgroundContext()
    for number in 0..<Self.writers { Journal(context: context).name = "\(number)" }
    try context.save()
  }

  /// Runs all writers for a number of saves, or until a save fails.
  private func save(_ bank: Bank, _ known: [Knowledge]) throws -> [Knowledge] {
    let contexts = known.map { _ in bank.container.newBackgroundContext() }
    let journals = try contexts.enumerated().map { number, context in
      guard let journal = try context.fetch(Journal.where { $0.name == "\(number)" }).first else {
        throw Finding("journal \(number) is missing")
      }
      return journal
    }
    // Safe: each part is used by one thread, and this thread waits for all of them.
    nonisolated(unsafe) let parts = (contexts, journals)
    let ends = Mutex(known)
    let turn = takesTurns ? NSLock() : nil
    let group = DispatchGroup()
    for number in known.indices {
      group.enter()
      Thread.detachNewThread {
        let (context, journal) = (parts.0[number], parts.1[number])
        var own = known[number]
        do {
          for _ in 0..<Self.savesEach {
            journal.last = own.last + 1
            turn?.lock()
            defer { turn?.unlock() }
            try context.save()
            own.last += 1
          }
        } catch {
          own.error = error
          own.isOpen = (error as? PersistenceError)?.code == .commitOutcomeUnknown
        }
        ends.withLock { $0[number] = own }
        group.leave()
      }
    }
    group.wait()
    return ends.withLock { $0 }
  }

  private func countFlushes(_ report: inout Report) throws {
    try WatchedFolder.with { folder in
      let bank = try open(folder)
      defer { bank.close() }
      try prepare(bank)
      let known = [Knowledge](repeating: Knowledge(last: 0), count: Self.writers)
      // Flushes are slow, so that other saves arrive meanwhile.
      fault_set_flush_time(5_000)
      defer { fault_set_flush_time(0) }
      Faults.count()
      let ends = try save(bank, known)
      report.flushes = Faults.calls(.sync)
      for end in ends { if let error = end.error { throw error } }
      report.saves = ends.reduce(0) { $0 + Int($1.last) }
      try Finding.require(
        report.flushes * 2 <= report.saves,
        "\(report.saves) saves needed \(report.flushes) flushes")
    }
  }

  /// - Returns: Whether a call failed.
  private func run(_ fault: Fault) throws -> Bool {
    try WatchedFolder.with { folder in
      let bank = try open(folder)
      try prepare(bank)
      Faults.plan(fault)
      var known = try save(bank, [Knowledge](repeating: Knowledge(), count: Self.writers))
      let hasFailed = Faults.failures > 0
      Faults.clear()
      for (number, end) in known.enumerated() {
        guard let error = end.error else { continue }
        try Finding.require(
          error is PersistenceError && hasFailed, "writer \(number) is told \(error)")
      }
      let seen = try check(bank, known)
      // Saves that failed together are all in the store, or none of them.
      let open = known.indices.filter { known[$0].isOpen }
      if fault.kind == .sync, !fault.isSticky {
        let isThere = Set(open.map { seen[$0] > known[$0].last })
        try Finding.require(isThere.count < 2, "a part of a group is there: \(seen), \(known)")
      }
      // Calls succeed again, and so do saves.
      for number in known.indices { known[number] = Knowledge(last: seen[number]) }
      known = try save(bank, known)
      for end in known { if let error = end.error { throw error } }
      _ = try check(bank, known)
      bank.close()
      let again = try self.open(folder)
      defer { again.close() }
      _ = try check(again, known)
      return hasFailed
    }
  }

  /// Reads the store, and compares it with the writers' states.
  private func check(_ bank: Bank, _ known: [Knowledge]) throws -> [Int64] {
    let context = bank.container.newBackgroundContext()
    context.stalenessInterval = 0
    return try known.enumerated().map { number, known in
      let found = try context.fetch(Journal.where { $0.name == "\(number)" }).first?.last ?? -1
      try Finding.require(
        known.allowed.contains(found),
        "journal \(number) has \(found), and not \(known.allowed), after \(known)")
      return found
    }
  }
}
