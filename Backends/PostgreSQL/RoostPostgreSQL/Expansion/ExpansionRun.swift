// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Carries out the steps of an expansion. Each is a transaction of its own, or several, and waits for locks in short
/// turns; one program at a time takes a step, and one that finds a step done goes on with the next.
struct ExpansionRun {
  let store: PostgreSQLStore
  let expansion: SQLExpansion
  /// The second version.
  let checksum: String
  let reporter: MigrationReporter

  /// Takes all steps, and lets the second version be used.
  func all() throws {
    for step in try expansion.steps() {
      try reporter.begin(step.title)
      switch step.action {
      case .define(let statements):
        try take { connection in
          try define(statements, connection)
          try check(step.checks, connection)
        }
      case .fill(let fill): try run(fill)
      case .index(let index): try ConcurrentIndex(run: self, index: index).make()
      }
    }
    try reporter.begin("let the second version be used")
    try take { connection in
      let table = connection.namespace.versionsTable
      try connection.run(.once("UPDATE \(table) SET complete = TRUE"))
    }
  }

  /// Runs `body` as a transaction, in turns.
  func take<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    try MigrationCommit.awaiting(in: store) { commit in
      try store.withConnection { connection in
        do {
          return try LockRetry(store: store).run(connection) { wait in
            try store.beginStep(wait, connection)
            try check(connection)
            let result = try body(connection)
            try commit.run(
              connection, refusal: "The server rolled a step of the expansion back.")
            return result
          }
        } catch {
          try? connection.rollBack()
          throw error
        }
      }
    }
  }

  /// Makes sure that nobody has given the expansion up.
  func check(_ connection: PostgreSQLConnection) throws {
    let namespace = connection.namespace
    let name = PostgreSQLNamespace.literal(namespace.versionsTable)
    let isThere = try connection.run(
      .once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL")
    ).isTrue()
    let json =
      isThere
      ? try connection.run(.once("SELECT json FROM \(namespace.versionsTable)")).text() : nil
    guard let json, try PostgreSQLNamespace.metadata(in: json).versionChecksum == checksum else {
      throw PersistenceError(
        .storeBusy,
        "Another program has given up the expansion of the store, to expand it to another version. "
          + "Open the store again.")
    }
  }

  private func define(_ statements: [String], _ connection: PostgreSQLConnection) throws {
    for statement in statements {
      store.log(statement)
      try connection.run(.once(statement))
    }
  }

  /// Looks for records that stand in the way, as the plan has done: now that the triggers are there, which have waited
  /// for all who write, none comes any more.
  private func check(_ checks: [ExpansionStep.Check], _ connection: PostgreSQLConnection) throws {
    guard !checks.isEmpty else { return }
    let evolution = expansion.evolution
    let session = PostgreSQLEvolutionSession(
      store, try PreparedSchema(evolution.destination), connection)
    for check in checks {
      try evolution.refuse(
        check.text, try session.keys(check.query), entity: check.entity, key: check.key)
    }
  }

  /// Writes the values of old records, a range of keys in each transaction.
  private func run(_ fill: ExpansionStep.Fill) throws {
    var start = ContinuousClock.now
    try FilledRanges(store: store, fill: fill).run(take) { count in
      try reporter.advance(by: Int64(count))
      try pause(after: start.duration(to: .now) / .seconds(1))
      start = .now
    }
  }

  /// Leaves the server to others for a while, unless the expansion is cancelled.
  private func pause(after seconds: Double) throws {
    let deadline = Deadline(after: store.description.evolution.pause(after: seconds))
    while !deadline.isOver {
      try reporter.cancellation.check()
      Thread.sleep(forTimeInterval: min(Self.longestSleep, deadline.remaining))
    }
  }

  /// So soon the end of a pause is noticed, in seconds.
  private static let longestSleep = 0.02
}

/// Writes values of records, a range of keys in each transaction.
struct FilledRanges {
  let store: PostgreSQLStore
  let fill: ExpansionStep.Fill

  /// How many records are written in one transaction.
  private static let batchSize = 5_000

  /// Writes all.
  ///
  /// - Parameters:
  ///   - take: Runs its argument as a transaction.
  ///   - advance: Told how many records were written.
  func run(
    _ take: ((PostgreSQLConnection) throws -> (end: Int64, count: Int)) throws -> (
      end: Int64, count: Int
    ), advance: (Int) throws -> Void = { _ in }
  ) throws {
    let key = "\"\(SQLTable.key)\""
    let bound = SQLDialect.postgreSQL.lastKey(of: Self.batchSize, in: fill.table, column: key)
    var last: Int64 = 0
    while true {
      let (end, count) = try take { connection in
        let found = try connection.run(
          PostgreSQLCommand(bound, [.integer(last)], isKept: false))
        let end = found.integer()
        guard end > last else { return (last, 0) }
        var written = 0
        for text in [fill.lock, fill.text].compactMap({ $0 }) {
          store.log(text)
          written = try connection.run(
            PostgreSQLCommand(text, [.integer(last), .integer(end)], isKept: false)
          ).affected
        }
        return (end, written)
      }
      guard end > last else { return }
      last = end
      try advance(count)
    }
  }

  /// Takes values away from records whose entities have them no more, in a column that others still have: after the old
  /// version has ended, because nobody is to wait for it. What is left when that is cut off, nobody reads; and who gets
  /// the column later has it cleared first.
  static func clear(
    _ leftovers: [ExpansionStep.Fill], of store: PostgreSQLStore, _ connection: PostgreSQLConnection
  ) {
    do {
      for fill in leftovers {
        try FilledRanges(store: store, fill: fill).run { body in
          try LockRetry(store: store).run(connection) { wait in
            try store.beginStep(wait, connection)
            let result = try body(connection)
            try connection.run(.commit)
            return result
          }
        }
      }
    } catch {
      try? connection.rollBack()
      store.description.log?.remark(
        "Values of the old version are left that nobody reads: \(error)")
    }
  }
}
