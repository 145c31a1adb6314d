// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
import RoostStore

/// The evolution of one file, in one transaction or, when that would have too large a log, in several.
///
/// Killed anywhere, the file is of the old version or of the new one, and readers meanwhile go on in the log's older
/// state.
struct SQLiteMigration {
  let store: SQLiteStore
  let change: SchemaChange
  /// The metadata after the evolution.
  let metadata: StoreMetadata
  let connection: SQLiteConnection

  /// The state of the file afterwards.
  struct Outcome {
    let opened: OpenedState
    let metadata: StoreMetadata
    /// The titles of what is removed now that the version has changed.
    var removals: [String] = []
  }

  /// How an attempt ended.
  enum Turn {
    case done(Outcome)
    /// The store is no longer what it was: another process has changed it.
    case elsewhere
    /// The work that was begun cannot be used.
    case stale
  }

  /// How the first transaction ended.
  private enum Beginning {
    case ended(Turn)
    /// It goes on in portions.
    case batches(SQLiteMigrationBatches)
  }

  /// The number of times that an evolution begins anew because other programs disturb it.
  private static let attempts = 8

  /// Evolves the store.
  ///
  /// - Returns: nil when the store is no longer what it was.
  func run(_ reporter: MigrationReporter) throws -> Outcome? {
    let repeated = RepeatedReporter(reporter)
    var mayDivide = true
    for _ in 0..<Self.attempts {
      let reporter = repeated.next()
      let turn: Turn
      switch try connection.writing({ try begin(mayDivide: mayDivide, reporter) }) {
      case .ended(let ended): turn = ended
      case .batches(let batches):
        turn = try run(batches, reporter)
        // Others write beside it: in one transaction they have to wait.
        if case .stale = turn { mayDivide = batches.isResumed }
      }
      switch turn {
      case .done(let outcome): return outcome
      case .elsewhere: return nil
      case .stale: try EvolutionAbandonment(store: store, connection: connection).run()
      }
    }
    throw PersistenceError(
      .storeBusy, "Other programs begin to migrate the store again and again.")
  }

  private func run(
    _ batches: SQLiteMigrationBatches, _ reporter: MigrationReporter
  ) throws -> Turn {
    do {
      return try batches.run(reporter)
    } catch let error as PersistenceError
      where [.migration, .migrationConstraintViolation].contains(error.code)
    {
      // Records stand in the way, so nothing goes on from here.
      try? EvolutionAbandonment(store: store, connection: connection).run()
      throw error
    }
  }

  /// Looks for what was begun, and begins.
  private func begin(mayDivide: Bool, _ reporter: MigrationReporter) throws -> Beginning {
    guard let current = try current(isBeginning: true) else { return .ended(.elsewhere) }
    // An index that another process has built since the change was planned is in no plan of several transactions.
    let isAsPlanned = current.metadata.isSame(as: change.metadata)
    if let journal = try SQLiteFile.journal(connection) {
      guard isAsPlanned else { return .ended(.elsewhere) }
      guard mayDivide, !journal.isAbandoned else { return .ended(.stale) }
      let evolution = BatchedEvolution(try plan(inBatches: true))
      guard journal.plan == evolution.plan, journal.destination == metadata.versionChecksum,
        journal.step <= evolution.steps.count, try journal.sources == sums(evolution)
      else { return .ended(.stale) }
      return .batches(
        try SQLiteMigrationBatches(migration: self, evolution: evolution, resuming: journal))
    }
    let evolution = try plan(inBatches: false)
    try store.checkLimits(evolution.destination, connection)
    try store.checkSpace(for: evolution, connection)
    if mayDivide, !isAsPlanned, try Self.isLarge(evolution, store, connection) {
      return .ended(.elsewhere)
    }
    if mayDivide, let batches = try divide(evolution) { return .batches(batches) }
    return .ended(.done(try all(evolution, current, reporter)))
  }

  /// Reads the state of the file in the open transaction; nil when it is no longer what it was.
  ///
  /// - Parameter isBeginning: Whether nothing is planned from the file yet, so that other processes may have built
  ///   indexes.
  func current(isBeginning: Bool = false) throws -> (opened: OpenedState, metadata: StoreMetadata)?
  {
    let opened = try SQLiteFile.opening(connection)
    guard opened.format == store.opened.format else { return nil }
    let stored = try SQLiteFile.metadata(in: opened.text)
    guard isBeginning ? stored.isSource(of: change) : stored.isSame(as: change.metadata) else {
      return nil
    }
    // A part is kept as the old version has its records.
    connection.keepsPrepared = opened.format.version >= PreparedTables.formatVersion
    if let part = try PreparedTables.parts(connection).first {
      throw part.inDoubt(in: store.identity.identifier)
    }
    return (opened, stored)
  }

  private func plan(inBatches: Bool) throws -> SQLEvolution {
    try store.plan(change, inBatches: inBatches, connection)
  }

  // MARK: - One transaction

  private func all(
    _ evolution: SQLEvolution, _ current: (opened: OpenedState, metadata: StoreMetadata),
    _ reporter: MigrationReporter
  ) throws -> Outcome {
    if evolution.presentTables.contains(WordTables.registry) {
      let kept = evolution.columnsInPlace
      try WordTables.drop(connection, log: { store.log($0) }) { words in
        kept[words.table]?.contains(words.column) != true
      }
    }
    let views = SQLiteViewFile(store: store, connection: connection)
    let places = try views.removeAll()
    try namingViolations(evolution) {
      try connection.interruptible {
        try evolution.run(
          session(evolution.destination), reading: session(evolution.source),
          verify: store.description.evolution.verify, reporter)
      }
    }
    for place in places { try views.make(place, evolution.destination) }
    return try switchVersion(evolution, evolution.deferredSteps, current)
  }

  /// Returns the statements' session for the tables of a schema.
  func session(_ schema: SQLSchema) throws -> SQLiteEvolutionSession {
    SQLiteEvolutionSession(store, try PreparedSchema(schema), connection)
  }

  /// Runs statements, and names the constraint that they violate.
  func namingViolations<Result>(
    _ evolution: SQLEvolution, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.isUniquenessViolation {
      throw evolution.destination.uniquenessError(error) { _, definition in
        definition == error.statement
      }
    }
  }

  /// Writes names, metadata, the text of the model and the number of the version in the open transaction.
  func switchVersion(
    _ evolution: SQLEvolution, _ deferred: [DeferredStep],
    _ current: (opened: OpenedState, metadata: StoreMetadata)
  ) throws -> Outcome {
    try SQLiteFile.writeNames(of: evolution, connection)
    var metadata = metadata
    metadata.userValues = current.metadata.userValues
    metadata.setDeferredSteps(deferred)
    let text = try SQLiteFile.writeMetadata(metadata, connection)
    if metadata.keepsModel == true {
      try SQLiteFile.writeModelText(
        of: change.destination, checksum: metadata.versionChecksum, connection)
    }
    let format = current.opened.format.next
    try SQLiteFile.writeFormat(format, connection)
    return Outcome(opened: OpenedState(text: text, format: format), metadata: metadata)
  }

  // MARK: - Several transactions

  /// Writes the journal, and makes new tables and columns, in the open transaction.
  ///
  /// - Returns: nil for an evolution that fits into one transaction.
  private func divide(_ evolution: SQLEvolution) throws -> SQLiteMigrationBatches? {
    guard try Self.isLarge(evolution, store, connection) else { return nil }
    let divided = BatchedEvolution(try plan(inBatches: true))
    guard !divided.steps.isEmpty,
      hasRoomForColumns(divided.evolution)
    else { return nil }
    try SQLiteFile.makeJournal(connection)
    try SQLiteFile.writeJournal(
      EvolutionJournal(
        divided, destination: metadata.versionChecksum, sources: try sums(divided)), connection)
    let session = try session(divided.evolution.destination)
    for definition in divided.definitions { try session.define(definition) }
    return try SQLiteMigrationBatches(migration: self, evolution: divided, resuming: nil)
  }

  /// Returns whether the log of an evolution in one transaction would be too large.
  ///
  /// Cost: counts the records of a large file, and nothing for a small one.
  static func isLarge(
    _ evolution: SQLEvolution, _ store: SQLiteStore, _ connection: SQLiteConnection
  ) throws -> Bool {
    let largest = store.description.evolution.batches.largestLog
    let writing = evolution.presentTasks.filter(\.writes)
    guard store.pool.location.path != nil, !writing.isEmpty else { return false }
    let bytes =
      try (connection.number("PRAGMA page_count") ?? 0)
      * (connection.number("PRAGMA page_size") ?? 0)
    guard Double(bytes) * Double(writing.count) > Double(largest) else { return false }
    return try evolution.estimatedLog(
      SQLiteEvolutionSession(store, try PreparedSchema(evolution.destination), connection),
      fileBytes: bytes) > largest
  }

  /// Returns a sum over the rows of each table that the steps read.
  ///
  /// Cost: reads these tables.
  func sums(_ divided: BatchedEvolution) throws -> [String: String] {
    let source = divided.evolution.source
    let quoted = SQLDialect.sqlite.quoted
    var queries: [String: String] = [:]
    for table in source.tables where divided.readTables.contains(table.reference) {
      queries[table.name] = SQLiteRowSum.query(
        table.reference, key: [SQLTable.key, SQLTable.version].map(quoted),
        columns: table.columns.map { quoted($0.name) })
    }
    for table in source.linkTables where divided.readTables.contains(table.reference) {
      queries[table.name] = SQLiteRowSum.query(
        table.reference, key: [], columns: SQLLinkTable.columns.map(quoted))
    }
    return try connection.interruptible {
      try queries.mapValues { try connection.text($0) ?? "" }
    }
  }

  /// Returns whether tables can have the columns of both versions.
  private func hasRoomForColumns(_ evolution: SQLEvolution) -> Bool {
    let limit = Int(sqlite3_limit(connection.handle, SQLITE_LIMIT_COLUMN, -1))
    return evolution.destination.tables.allSatisfy { table in
      let before = evolution.source.tables.first { $0.name == table.name }?.columns ?? []
      return Set((before + table.columns).map(\.name)).count + 2 <= limit
    }
  }
}
