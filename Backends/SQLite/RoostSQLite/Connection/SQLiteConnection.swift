// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// A connection to a database file, without a lock of its own: one caller uses it at a time.
final class SQLiteConnection {
  let handle: OpaquePointer
  private var cache = StatementCache(capacity: 128)
  /// Whether the connection is unusable and must be closed.
  private(set) var isSpoiled = false
  /// The state of the file when it was opened as immutable; nil for a connection with locks.
  private let origin: (location: SQLiteLocation, state: FileState)?
  /// The WAL state of the read transaction that is kept open between requests; nil when there is none.
  private var held: HeldReading?
  /// Whether the open transaction shows the store in the version in which it was opened.
  var showsKnownVersion = false
  /// Whether the file has tables for prepared parts of saves, as of the open transaction.
  var keepsPrepared = false
  /// The size of the page cache.
  var pageCache = PageCacheBound()
  /// Whether a request has succeeded: from then on the WAL index is mapped.
  private var hasRead = false
  /// The busy handler, with the cancellation and the time-out of the current request.
  let waiting = LockWaiting()
  /// The buffer for the values of statements that write records, reused by all saves.
  private(set) lazy var rowWriter = RowWriter()

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - location: A file, or an in-memory database.
  ///   - access: Whether the file may be written or created.
  ///   - timeout: The busy time-out, in seconds.
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
    // SQLite falls back to read-only when it cannot open a file for writing, for any reason. Without this check, a
    // process that briefly ran out of descriptors would have a connection that refuses every save.
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

  /// Whether the file was written since the connection opened it as immutable, or a writer has it open: SQLite's
  /// assumption of an unchanging file is wrong then.
  var isOutdated: Bool {
    guard let origin else { return false }
    return origin.location.hasLog || origin.location.fileState() != origin.state
  }

  /// The access mode of a connection.
  enum Access {
    /// Reads, writes, and creates a missing file.
    case create
    /// Reads and writes an existing file.
    case readWrite
    /// Only reads.
    case readOnly
    /// Only reads, with SQLite's `immutable` parameter: no locks, no WAL or journal files.
    case immutable

    fileprivate var flags: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly, .immutable: SQLITE_OPEN_READONLY
      }
    }
  }

  /// Sets the busy time-out, in seconds.
  func setTimeout(_ timeout: TimeInterval) {
    waiting.timeout = timeout
    waiting.install(on: handle)
  }

  /// Disables features that no store of Roost needs: writes that bypass SQLite's checks, unsafe functions in the
  /// file's schema, triggers, views, attached databases, and string literals in double quotes. Statements of the
  /// program can read views (`SQLiteTextReading.swift`).
  private func harden() {
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }

  /// Lets triggers fire: those of indexes of words, the only ones that a store may have, note what is written.
  func enableTriggers() {
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)
  }

  /// Calls `body` while one database may be attached, as `VACUUM` does.
  func allowingAttachedDatabase(_ body: () throws -> Void) rethrows {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try body()
  }
}

// MARK: - The file

extension SQLiteConnection {
  /// Truncates the file to zero length, durably; the connection must hold the lock, and must not be used afterwards.
  ///
  /// It uses SQLite's own file descriptor: closing another one would release SQLite's POSIX locks.
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
  /// Returns a prepared statement, ready for binding; the caller calls `finish()` afterwards.
  func statement(_ text: String) throws -> SQLiteStatement {
    if let statement = cache.idleStatement(text) {
      statement.isInUse = true
      return statement
    }
    // Pragmas may run, and read their values, when they are compiled.
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

  /// Runs a statement and ignores its rows.
  func run(_ text: String, _ values: [SQLValue] = []) throws {
    try withStatement(text, values) { try $0.run() }
  }

  /// Runs a statement without caching it, such as one that changes the schema.
  func execute(_ text: String) throws {
    let statement = try SQLiteStatement(text, connection: handle, isPersistent: false)
    precondition(!statement.hasTail, "A statement's text has one statement.")
    try statement.run()
  }

  /// Returns the integer in the first column of the first row; nil without a row or for NULL.
  func number(_ text: String, _ values: [SQLValue] = []) throws -> Int64? {
    try withStatement(text, values) { statement in
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return statement.integer(0)
    }
  }

  /// Returns the text in the first column of the first row; nil without a row or for NULL.
  func text(_ text: String, _ values: [SQLValue] = []) throws -> String? {
    try withStatement(text, values) { statement in
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return statement.string(0)
    }
  }

  /// The number of rows that the last statement inserted, updated or deleted.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Updates the planner's statistics on the indexes, after many changes since the connection was opened. A sample is
  /// enough, and without statistics plans are only slower, so errors are ignored.
  func collectStatistics() {
    guard sqlite3_total_changes64(handle) >= 1_000 else { return }
    try? execute("PRAGMA analysis_limit=200")
    try? execute("ANALYZE")
  }

  /// The maximum number of parameters of a statement.
  var parameterLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }
}

// MARK: - Reading one request after the other

extension SQLiteConnection {
  /// Whether a read transaction is kept open for the next request.
  var isHolding: Bool { held != nil }

  /// Runs a request in a read transaction that is kept open afterwards if possible. The request still reads the
  /// newest state: the transaction is renewed if another connection has written.
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

  /// Ends the read transaction that was kept open.
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

  /// Runs `body` on one snapshot of the database: that of the open transaction, if there is one.
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

  /// Runs `body` in a transaction that takes the write lock at its beginning (`BEGIN IMMEDIATE`): a later upgrade
  /// from a read transaction would fail at once if another connection has written.
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

  /// Rolls the open transaction back, and begins another one that takes the write lock.
  func beginAgain() throws {
    try run("ROLLBACK")
    try run("BEGIN IMMEDIATE")
  }

  /// Runs `body` with relaxed durability: its commits survive a crash of the process at once, but a power failure
  /// only after the next commit.
  func withRelaxedDurability<Result>(_ body: () throws -> Result) throws -> Result {
    let level = try number("PRAGMA synchronous") ?? 2
    try execute("PRAGMA synchronous=NORMAL")
    let result = Swift.Result(catching: body)
    do {
      try execute("PRAGMA synchronous=\(level)")
    } catch {
      // The result of `body` stands, but later saves must not be less durable, so they use another connection.
      isSpoiled = true
    }
    return try result.get()
  }

  /// Rolls the transaction back.
  func rollBack() {
    // SQLite rolls back automatically after some errors; then no transaction is open.
    if isInTransaction { try? run("ROLLBACK") }
    if isInTransaction { isSpoiled = true }
  }

  /// Commits the transaction durably.
  ///
  /// - Throws: `SQLiteCommitFailure` when it is unknown whether the commit is durable.
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

/// A commit that failed during a write: after the file is opened again, it may turn out committed or rolled back.
struct SQLiteCommitFailure: Error {
  let cause: SQLiteError
}
