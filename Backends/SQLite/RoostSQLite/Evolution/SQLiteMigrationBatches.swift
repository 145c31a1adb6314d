// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
import RoostStore

/// The transactions of a divided evolution after the first one. Each advances the journal together with what it
/// writes, so that a killed one goes on where its last commit was; and each reads the journal anew, so that several
/// processes can take turns.
struct SQLiteMigrationBatches {
  let migration: SQLiteMigration
  let evolution: BatchedEvolution
  /// Whether it goes on with what another process has begun.
  let isResumed: Bool
  /// The number of steps that were done before.
  private let firstStep: Int
  private let bounds: EvolutionBatches
  private let session: SQLiteEvolutionSession
  /// The numbers of records of the steps.
  private let counts: [Int]
  /// Changes when another connection has written.
  private let dataVersion: Int64?

  private var connection: SQLiteConnection { migration.connection }

  /// Prepares the transactions, in the one that has read or written the journal.
  init(
    migration: SQLiteMigration, evolution: BatchedEvolution, resuming journal: EvolutionJournal?
  ) throws {
    self.migration = migration
    self.evolution = evolution
    isResumed = journal != nil
    firstStep = journal?.step ?? 0
    bounds = migration.store.description.evolution.batches
    session = try migration.session(evolution.evolution.destination)
    counts = try evolution.counts(session)
    dataVersion = try migration.connection.dataVersion()
  }

  /// Takes all steps, and changes the version.
  func run(_ reporter: MigrationReporter) throws -> SQLiteMigration.Turn {
    for title in evolution.definitionTitles { try reporter.begin(title) }
    var size = BatchSize(bounds)
    var told = 0
    var next = firstStep
    while true {
      if next >= told { size = BatchSize(bounds) }
      try tell(&told, upTo: next, reporter)
      try reporter.cancellation.check()
      let written = connection.pagesWritten
      let start = ContinuousClock.now
      switch try connection.writing({ try writePortion(size.records) }) {
      case .elsewhere: return .elsewhere
      case .givenUp: return .stale
      case .allDone:
        return try connection.writing { try finish(reporter) }
      case .written(let journal, let rows):
        next = journal.step
        size.adapt(
          pages: connection.pagesWritten - written, pageSize: try pageSize,
          seconds: start.duration(to: .now) / .seconds(1))
        try reporter.advance(by: Int64(rows))
      }
    }
  }

  private var pageSize: Int64 {
    get throws { try connection.number("PRAGMA page_size") ?? 4096 }
  }

  /// Reports the steps up to one.
  private func tell(
    _ told: inout Int, upTo step: Int, _ reporter: MigrationReporter
  ) throws {
    while told <= min(step, evolution.steps.count - 1) {
      if let title = evolution.steps[told].title {
        try reporter.begin(title, records: Int64(counts[told]))
      }
      told += 1
    }
  }

  private enum Portion {
    case written(EvolutionJournal, rows: Int)
    case allDone
    case elsewhere
    /// Another process has given up what was begun.
    case givenUp
  }

  /// Writes a portion in the open transaction.
  private func writePortion(_ records: Int) throws -> Portion {
    guard try migration.current() != nil else { return .elsewhere }
    guard var journal = try journal() else { return .givenUp }
    guard journal.step < evolution.steps.count else { return .allDone }
    let step = evolution.steps[journal.step]
    let (end, rows) = try migration.namingViolations(evolution.evolution) {
      try connection.interruptible {
        if let name = step.index, try hasIndex(name) { return (nil as Int64?, 0) }
        return try evolution.run(step, after: journal.position, count: records, session)
      }
    }
    journal.advance(to: end)
    try SQLiteFile.writeJournal(journal, connection)
    return .written(journal, rows: rows)
  }

  /// Reads the journal; nil when it is of another evolution, or of none.
  private func journal() throws -> EvolutionJournal? {
    guard let journal = try SQLiteFile.journal(connection), journal.plan == evolution.plan,
      !journal.isAbandoned
    else { return nil }
    return journal
  }

  private func hasIndex(_ name: String) throws -> Bool {
    try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?1", [.text(name)]) == 1
  }

  /// Does what is left in the open transaction, and changes the version.
  private func finish(_ reporter: MigrationReporter) throws -> SQLiteMigration.Turn {
    guard let current = try migration.current() else { return .elsewhere }
    guard let journal = try journal(), journal.step == evolution.steps.count else { return .stale }
    let isWritten = try connection.dataVersion() != dataVersion
    // Another process may only have helped.
    if isWritten, try migration.sums(evolution) != journal.sources { return .stale }
    if isWritten || isResumed, try connection.interruptible({ try evolution.missesCopies(session) })
    {
      return .stale
    }
    let plan = evolution.evolution
    let views = SQLiteViewFile(store: migration.store, connection: connection)
    let places = try views.removeAll()
    try migration.namingViolations(plan) {
      try connection.interruptible {
        // A program of the old version that was opened meanwhile has removed indexes that it does not know.
        for step in evolution.steps {
          guard let name = step.index, try !hasIndex(name) else { continue }
          _ = try evolution.run(step, after: 0, count: 1, session)
        }
        try evolution.finish(
          session, reading: migration.session(plan.source),
          verify: migration.store.description.evolution.verify, reporter)
      }
    }
    for place in places { try views.make(place, plan.destination) }
    try SQLiteFile.removeJournal(connection)
    let defers = migration.store.description.evolution.defersLightweightMigration
    let removals = evolution.deferredSteps.map { step in
      var step = step
      // Killed before the removals, the program that opens the store next does them.
      if !defers { step.isOverdue = true }
      return step
    }
    var outcome = try migration.switchVersion(plan, removals, current)
    if !defers { outcome.removals = evolution.removals }
    return .done(outcome)
  }
}

/// The number of records of the next transaction, by what the one before has written and how long it took.
struct BatchSize {
  private(set) var records: Int
  private let bounds: EvolutionBatches

  /// The share of the bounds that a transaction aims at: records are not equally large.
  private static let share = 0.5
  private static let largest = 1_000_000

  init(_ bounds: EvolutionBatches) {
    self.bounds = bounds
    records = bounds.records
  }

  /// Notes a transaction.
  ///
  /// - Parameters:
  ///   - pages: The number of pages that it has written.
  ///   - pageSize: The size of a page in bytes.
  ///   - seconds: How long it took.
  mutating func adapt(pages: Int64, pageSize: Int64, seconds: Double) {
    let bytes = Double(max(pages * pageSize, 1))
    let factor = Self.share * min(Double(bounds.bytes) / bytes, bounds.seconds / max(seconds, 1e-6))
    let next = Double(records) * min(2, max(0.1, factor))
    records = Int(min(max(next, 1), Double(Self.largest)))
  }
}

extension SQLiteConnection {
  /// The number of pages that the connection has written to the log so far.
  fileprivate var pagesWritten: Int64 {
    var number: Int32 = 0
    var largest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &number, &largest, 0)
    return Int64(number)
  }
}
