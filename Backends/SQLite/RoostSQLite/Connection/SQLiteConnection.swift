// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// One connection to a database file, without a lock of its own: its holder uses it alone.
final class SQLiteConnection {
  let handle: OpaquePointer
  private var cache = StatementCache(capacity: 128)
  /// Whether the connection can no longer do what it was opened for, and must not be used again.
  private(set) var isSpoiled = false
  /// What the file was when it was opened without locks; nil for a connection that has locks.
  private let origin: (location: SQLiteLocation, state: FileState)?
  /// The state of the transaction that is left open between requests; nil when there is none.
  private var held: HeldReading?
  /// Whether the open transaction shows the store in the version in which it was opened.
  var showsKnownVersion = false
  /// Whether the file has tables for prepared parts of saves, as of the open transaction.
  var keepsPrepared = false
  /// How much of the file is kept in memory.
  var pageCache = PageCacheBound()
  /// Whether a request was answered: from then on the log's shared memory is there.
  private var hasRead = false
  /// Who can cancel the request that uses the connection, and how long that waits for other connections.
  let waiting = LockWaiting()
  /// Where the values of the statement that writes a record are while it runs: one room for all saves.
  private(set) lazy var rowWriter = RowWriter()

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - location: The file or the memory.
  ///   - access: Whether the file may be written or made.
  ///   - timeout: How long a statement waits for another connection, in seconds.
  init(_ location: SQLiteLocation, access: Access, timeout: TimeInterval) throws {
    origin = access == .immutable ? location.fileState().map { (location, $0) } : nil
    var handle: OpaquePointer?
    let flags =
      access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | (access == .immutable ? SQLITE_OPEN_URI : 0)
    let name = access == .immutable ? location.immutableURI : location.openName
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code, handle: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    // SQLite opens a file for reading only when it cannot be opened for writing, for whatever reason: without this a
    // process that had no descriptor left for a moment would have a connection that refuses every save.
    if access.flags & SQLITE_OPEN_READWRITE != 0, sqlite3_db_readonly(handle, "main") == 1,
      location.mayBeWritten
    {
      sqlite3_close_v2(handle)
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "the file could be opened for reading only")
    }
    self.handle = handle
    setTimeout(timeout)
    harden()
    try SQLiteFunctions.register(on: handle)
  }

  deinit {
    cache.removeAll()
    // A statement that is still referenced keeps the handle for longer than this object.
    sqlite3_busy_handler(handle, nil, nil)
    sqlite3_close_v2(handle)
  }

  /// Whether the file was written since the connection opened it without locks, or is open to be written: what the
  /// connection believes is wrong then.
  var isOutdated: Bool {
    guard let origin else { return false }
    return origin.location.hasLog || origin.location.fileState() != origin.state
  }

  /// How a connection may use its file.
  enum Access {
    /// Reads, writes, and makes the file where it is missing.
    case create
    /// Reads and writes a file that is there.
    case readWrite
    /// Only reads.
    case readOnly
    /// Only reads, as if nobody could change the file: no locks, no side files.
    case immutable

    fileprivate var flags: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly, .immutable: SQLITE_OPEN_READONLY
      }
    }
  }

  /// How long statements wait for another connection.
  func setTimeout(_ timeout: TimeInterval) {
    waiting.timeout = timeout
    waiting.install(on: handle)
  }

  /// Refuses what no store of Roost needs: writes past SQLite's own checks, functions in the file's schema, triggers,
  /// views, attached files, and strings in double quotes.
  private func harden() {
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }
}

// MARK: - The file

extension SQLiteConnection {
  /// Takes everything out of the file, durably; the connection has it locked, and is of no more use after that.
  ///
  /// It is done through the file that SQLite has open: to close another one would end SQLite's locks.
  func emptyFile(_ path: String) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else {
      throw SQLiteError(code: SQLITE_ERROR, handle: handle)
    }
    let truncation = methods.xTruncate(file, 0)
    guard truncation == SQLITE_OK else { throw SQLiteError(code: truncation, handle: nil) }
    DurableFiles.note(DurableFiles.Step.empty, path)
    let flush = methods.xSync(file, SQLITE_SYNC_FULL)
    guard flush == SQLITE_OK else { throw SQLiteError(code: flush, handle: nil) }
    DurableFiles.note(DurableFiles.Step.synchronizeFile, path)
  }
}

// MARK: - Statements

extension SQLiteConnection {
  /// Returns a statement ready to be bound; `finish()` it afterwards.
  func statement(_ text: String) throws -> SQLiteStatement {
    if let statement = cache.idleStatement(text) {
      statement.isInUse = true
      return statement
    }
    // Pragmas do their work, and take their values, when they are compiled.
    let isKept = !text.hasPrefix("PRAGMA") || text == SQLiteFile.readingFormat
    let statement = try SQLiteStatement(text, connection: handle, isPersistent: isKept)
    precondition(!statement.hasTail, "A statement's text has one statement.")
    statement.isInUse = true
    if isKept { cache.keep(statement) }
    return statement
  }

  /// Runs `body` with a statement and finishes it.
  func withStatement<Result>(
    _ text: String, _ values: [SQLValue] = [], _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let statement = try statement(text)
    defer { statement.finish() }
    try statement.bind(values)
    return try body(statement)
  }

  /// Runs a statement whose rows are of no interest.
  func run(_ text: String, _ values: [SQLValue] = []) throws {
    try withStatement(text, values) { try $0.run() }
  }

  /// Runs a statement that is not worth keeping, as one that changes the schema.
  func execute(_ text: String) throws {
    let statement = try SQLiteStatement(text, connection: handle, isPersistent: false)
    precondition(!statement.hasTail, "A statement's text has one statement.")
    try statement.run()
  }

  /// The number in the first column of the first row; nil without a row or for NULL.
  func number(_ text: String, _ values: [SQLValue] = []) throws -> Int64? {
    try withStatement(text, values) { statement in
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return statement.integer(0)
    }
  }

  /// The text in the first column of the first row; nil without a row or for NULL.
  func text(_ text: String, _ values: [SQLValue] = []) throws -> String? {
    try withStatement(text, values) { statement in
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return statement.string(0)
    }
  }

  /// The rows that the last statement inserted, updated or deleted.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Lets the planner know how selective the indexes are, when much has changed since the connection was opened.
  /// A sample is enough, and without one plans are only slower, so errors are of no interest.
  func collectStatistics() {
    guard sqlite3_total_changes64(handle) >= 1_000 else { return }
    try? execute("PRAGMA analysis_limit=200")
    try? execute("ANALYZE")
  }

  /// The most parameters that a statement may have.
  var parameterLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }
}

// MARK: - Reading one request after the other

extension SQLiteConnection {
  /// Whether a transaction is left open for the next request.
  var isHolding: Bool { held != nil }

  /// Runs a request in a transaction that is left open after it, as far as that is possible, and shows the newest state
  /// all the same.
  func holding<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      try renewReading()
      let result = try body()
      hasRead = true
      return result
    } catch {
      endReading()
      throw error
    }
  }

  private func renewReading() throws {
    if let held {
      if isInTransaction, held.isCurrent(handle) { return }
      endReading()
    }
    showsKnownVersion = false
    guard hasRead, let state = HeldReading(handle) else { return }
    try run("BEGIN")
    held = state
  }

  /// Ends the transaction that was left open.
  func endReading() {
    guard held != nil else { return }
    held = nil
    if isInTransaction { try? run("COMMIT") }
    rollBack()
  }
}

// MARK: - Transactions

extension SQLiteConnection {
  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` on one snapshot of the database: that of the transaction that is open, if there is one.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    try run("BEGIN")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs `body` in a transaction that has the right to write from its beginning: a later upgrade would fail at once
  /// when another connection has written.
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN IMMEDIATE")
    let result: Result
    do {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    try commitTransaction()
    return result
  }

  /// Runs `body` with commits that survive the end of the process at once, and the loss of power only together with
  /// the next commit.
  func withRelaxedDurability<Result>(_ body: () throws -> Result) throws -> Result {
    let level = try number("PRAGMA synchronous") ?? 2
    try execute("PRAGMA synchronous=NORMAL")
    let result = Swift.Result(catching: body)
    do {
      try execute("PRAGMA synchronous=\(level)")
    } catch {
      // What `body` says counts; but saves must not become less durable, so another connection writes them.
      isSpoiled = true
    }
    return try result.get()
  }

  /// Ends the transaction; nothing of it remains.
  func rollBack() {
    // SQLite rolls back by itself after some errors; then there is nothing left to end.
    if isInTransaction { try? run("ROLLBACK") }
    if isInTransaction { isSpoiled = true }
  }

  /// Ends the transaction durably.
  ///
  /// - Throws: `SQLiteCommitFailure` when nobody can know whether it is durable.
  func commitTransaction() throws {
    do {
      try run("COMMIT")
    } catch let error as SQLiteError {
      rollBack()
      if error.primaryCode == SQLITE_IOERR { throw SQLiteCommitFailure(cause: error) }
      throw error
    }
  }
}

/// A commit that failed while it wrote: it may be found done or undone after the file is opened again.
struct SQLiteCommitFailure: Error {
  let cause: SQLiteError
}
