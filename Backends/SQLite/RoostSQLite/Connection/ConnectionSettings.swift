// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// The settings with which the connections of a store are opened.
struct ConnectionSettings: Sendable {
  /// Whether the store is read-only.
  let isReadOnly: Bool
  /// How long a statement waits for a lock of another connection, in seconds.
  let timeout: TimeInterval
  /// The largest number of concurrent readers.
  let readerLimit: Int
  /// The page cache of a reader, in KiB. Memory-mapped I/O would be no faster, and a process that truncates a mapped
  /// file would end this one (SIGBUS).
  private let readerCache: Int
  /// The page caches of all readers together, and of the writer, in KiB.
  private static let readersCache = 262_144
  private static let writerCache = 32_768
  /// Read once: the system reads files for it.
  private static let processorCount = ProcessInfo.processInfo.activeProcessorCount
  private let pragmas: SQLitePragmas
  private let isAnalyzed: Bool
  private let isCompacted: Bool

  init(_ description: PersistentStoreDescription) throws {
    isReadOnly = description.isReadOnly
    timeout = description.timeout
    pragmas = try SQLitePragmas(description.checkedPragmas())
    isAnalyzed = try description.isOn(StoreOption.sqliteAnalyze)
    isCompacted = try description.isOn(StoreOption.sqliteManualVacuum)
    if let limit = try description.count(StoreOption.connectionPoolMaxSize) {
      // One connection is the writer.
      readerLimit = max(limit - 1, 1)
    } else {
      // As many as can run in parallel.
      readerLimit = max(4, Self.processorCount)
    }
    readerCache = max(8_192, min(65_536, Self.readersCache / readerLimit))
  }

  /// Opens the first connection and checks the type of the file, before anything is written.
  func open(_ location: SQLiteLocation) throws -> SQLiteConnection {
    guard sqlite3_libversion_number() >= 3_037_000 else {
      throw PersistenceError(.persistentStoreOpen, "Roost needs SQLite 3.37 or newer.")
    }
    try location.requireFile()
    if isReadOnly { return try openForReading(location) }
    try location.requireOneName()
    location.makePrivateFile()
    let connection = try SQLiteConnection(location, access: .create, timeout: timeout)
    try SQLiteFile.requireMark(connection) {
      // The page size must be set before the first page exists.
      try applyPragmas(connection)
      try SQLiteFile.make(connection)
    }
    try configureWriter(connection, location)
    if isCompacted { try compact(connection) }
    if isAnalyzed { try connection.execute("ANALYZE") }
    return connection
  }

  /// Compacts the file. Does nothing when another connection writes it: the store can be used all the same.
  private func compact(_ connection: SQLiteConnection) throws {
    // SQLite writes a whole copy first, which in memory would take as much as the file.
    let place = try connection.number("PRAGMA temp_store") ?? 2
    try connection.execute("PRAGMA temp_store=FILE")
    defer { try? connection.execute("PRAGMA temp_store=\(place)") }
    do {
      try connection.allowingAttachedDatabase { try connection.execute("VACUUM") }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      return
    }
  }

  /// Opens the writer again; the file is known and must exist.
  func reopen(_ location: SQLiteLocation) throws -> SQLiteConnection {
    try location.requireOneName()
    let connection = try SQLiteConnection(location, access: .readWrite, timeout: timeout)
    try configureWriter(connection, location)
    return connection
  }

  /// Opens a reader.
  func openReader(_ location: SQLiteLocation) throws -> SQLiteConnection {
    if isReadOnly { return try openForReading(location) }
    // A reader of a file in WAL mode takes part in its locks, so it may write the side files.
    let connection = try SQLiteConnection(location, access: .readWrite, timeout: timeout)
    try configureReader(connection)
    try applyPragmas(connection)
    try connection.execute("PRAGMA query_only=ON")
    return connection
  }

  /// Turns a connection that can write into a reader.
  func makeReader(_ connection: SQLiteConnection) throws {
    try connection.execute("PRAGMA cache_size=-\(readerCache)")
    try applyPragmas(connection)
    try connection.execute("PRAGMA query_only=ON")
  }

  private func openForReading(_ location: SQLiteLocation) throws -> SQLiteConnection {
    guard location.fileIdentity() != nil || location == .memory else {
      throw PersistenceError(.persistentStoreOpen, "There is no file to open for reading.")
    }
    do {
      return try openForReading(location, .readOnly)
    } catch let error as SQLiteError where error.isOfFolder {
      // In a read-only folder the WAL index cannot be created; without a log it is not needed.
      guard !location.hasLog else { throw error }
      return try openForReading(location, .immutable)
    }
  }

  private func openForReading(
    _ location: SQLiteLocation, _ access: SQLiteConnection.Access
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(location, access: access, timeout: timeout)
    try SQLiteFile.check(connection)
    try configureReader(connection)
    try applyPragmas(connection)
    return connection
  }

  private func configureReader(
    _ connection: SQLiteConnection, cache: Int? = nil
  ) throws {
    try connection.execute("PRAGMA cache_size=-\(cache ?? readerCache)")
    try connection.execute("PRAGMA cell_size_check=ON")
    try connection.execute("PRAGMA temp_store=MEMORY")
  }

  private func configureWriter(
    _ connection: SQLiteConnection, _ location: SQLiteLocation
  ) throws {
    connection.enableTriggers()
    try configureReader(connection, cache: Self.writerCache)
    if location != .memory {
      try enterLogMode(connection)
      try connection.execute("PRAGMA synchronous=FULL")
      #if canImport(Darwin)
      // On Apple's systems `fsync` may leave data in the drive's cache, which a loss of power erases.
      try connection.execute("PRAGMA fullfsync=ON")
      #endif
      try connection.execute("PRAGMA journal_size_limit=67108864")
    }
    try applyPragmas(connection)
  }

  private func applyPragmas(_ connection: SQLiteConnection) throws {
    for statement in pragmas.statements { try connection.execute(statement) }
  }

  /// Switches to WAL mode. The switch needs an exclusive lock, for which SQLite does not wait by itself.
  private func enterLogMode(_ connection: SQLiteConnection) throws {
    let deadline = Deadline(after: timeout)
    while true {
      do {
        let mode = try connection.text("PRAGMA journal_mode=WAL")
        guard mode == "wal" else {
          throw PersistenceError(
            .persistentStoreOpen, "The file's folder cannot hold a write-ahead log.")
        }
        return
      } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY && !deadline.isOver {
        Thread.sleep(forTimeInterval: Double.random(in: 0.002...0.02))
      }
    }
  }
}
