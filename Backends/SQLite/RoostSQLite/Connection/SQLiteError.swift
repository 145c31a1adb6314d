// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostQuery

/// An error of SQLite: its extended result code and its message, never a stored value.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The extended result code, such as `SQLITE_IOERR_FSYNC`.
  package let code: Int32
  /// SQLite's message.
  package let message: String
  /// The statement that failed, without the values that were bound to it.
  package let statement: String?

  package init(code: Int32, message: String, statement: String? = nil) {
    self.code = code
    self.message = message
    self.statement = statement
  }

  /// The error of the last call on a connection.
  init(code: Int32, handle: OpaquePointer?, statement: String? = nil) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    // SQLite reports some failed disk reads as corruption (SQLITE_IOERR_CORRUPTFS becomes SQLITE_CORRUPT). The file
    // may be intact, and programs remove corrupt ones; the thread's `errno` tells the two apart.
    guard extended & 0xff != SQLITE_CORRUPT || errno != EIO else {
      errno = 0
      self.init(
        code: Self.failedRead, message: "the disk failed to read a page", statement: statement)
      return
    }
    let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      code: extended, message: text.map { String(cString: $0) } ?? "unknown error",
      statement: statement)
  }

  /// `SQLITE_IOERR_CORRUPTFS`.
  private static let failedRead = SQLITE_IOERR | 33 << 8

  /// The primary result code, such as `SQLITE_IOERR`.
  package var primaryCode: Int32 { code & 0xff }

  /// Whether a record violates a unique index.
  var isUniquenessViolation: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }

  /// Whether a record violates a primary key: in a table of records, or in a link table.
  var isKeyViolation: Bool {
    code == SQLITE_CONSTRAINT | 6 << 8 || code == SQLITE_CONSTRAINT | 10 << 8
  }

  /// Whether a failed system call may have made SQLite lose track of its locks: it then finds them held by other
  /// connections, which do not exist, until all its connections to the file are closed.
  var leavesDoubtfulLocks: Bool {
    primaryCode == SQLITE_IOERR || primaryCode == SQLITE_PROTOCOL || primaryCode == SQLITE_BUSY
  }

  /// Whether a cancelled request can end with it: during a statement, or while it waited for a lock.
  var canMeanCancellation: Bool {
    primaryCode == SQLITE_INTERRUPT || primaryCode == SQLITE_BUSY
  }

  /// Whether a file or a side file could not be opened or created: for a new one in a read-only folder, the code is
  /// `SQLITE_READONLY_DIRECTORY`.
  var isOfFolder: Bool {
    primaryCode == SQLITE_CANTOPEN || code == SQLITE_READONLY | 6 << 8
  }

  package var description: String {
    let end = statement.map { " in: \($0)" } ?? ""
    return "SQLite error \(code): \(message)\(end)"
  }
}

// MARK: - Mapping to PersistenceError

/// Runs `body` and maps `SQLiteError` to `PersistenceError`.
///
/// - Parameter store: The store that the errors name.
func translatingErrors<Result>(store: String?, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SQLiteError {
    throw error.persistenceError(store: store)
  } catch let failure as SQLiteCommitFailure {
    throw PersistenceError(
      .commitOutcomeUnknown,
      "Writing failed while the commit was made durable; reading the store shows how it ended.",
      store: store, underlying: failure.cause)
  } catch is SQLiteEmptyFile {
    throw PersistenceError(
      .persistentStoreOpen, "The file is empty: there is no store in it.", store: store)
  } catch var error as PersistenceError where error.store == nil {
    error.store = store
    throw error
  }
}

extension SQLiteError {
  /// Returns the error as a `PersistenceError`.
  func persistenceError(store: String?) -> PersistenceError {
    let (code, message) = translation
    return PersistenceError(code, message, store: store, underlying: self)
  }

  /// The message of SQLite's own `sum`, and of Roost's functions.
  static let overflowMessage = "integer overflow"

  private var translation: (PersistenceError.Code, String) {
    switch primaryCode {
    case SQLITE_ERROR where message == Self.overflowMessage:
      (.arithmeticOverflow, "A sum is beyond the range of its type.")
    case SQLITE_ERROR where message.hasPrefix("no such table: _roost"):
      (.corruptStore, "Another program has removed a table of the store: \(message).")
    case SQLITE_ERROR where message == StringMatcher.limitMessage:
      (.limitExceeded, message)
    case SQLITE_BUSY, SQLITE_LOCKED:
      (.storeBusy, "Another connection held the database until the time was over.")
    case SQLITE_FULL:
      (.storeFull, "The disk or the database has no room left.")
    case SQLITE_CORRUPT:
      (.corruptStore, "The database file is damaged.")
    case SQLITE_NOTADB:
      (.persistentStoreTypeMismatch, "The file is not a SQLite database.")
    case SQLITE_READONLY:
      (.readOnlyStore, "The database cannot be written.")
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      (.persistentStoreOpen, "The database file cannot be opened.")
    case SQLITE_TOOBIG:
      (.limitExceeded, "A value or statement is larger than SQLite allows.")
    case SQLITE_IOERR:
      (.persistentStoreOperation, "Reading or writing the database file failed.")
    case SQLITE_NOMEM:
      (.persistentStoreOperation, "SQLite ran out of memory.")
    default:
      (.persistentStoreOperation, "The database refused a statement: \(self.message).")
    }
  }
}
