// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel

/// An error of LMDB or of the system: its code, its text, and the operation that failed; never a stored value.
struct LMDBError: Error, CustomStringConvertible {
  let code: Int32
  let operation: String

  var description: String {
    let text = mdb_strerror(code).map { String(cString: $0) } ?? "unknown error"
    return "LMDB error \(code) when it was to \(operation): \(text)"
  }

  /// Throws when a call failed.
  @inline(__always)
  static func check(_ code: Int32, _ operation: StaticString) throws {
    guard code == MDB_SUCCESS else { throw LMDBError(code: code, operation: "\(operation)") }
  }

  /// Returns the error for `errno`.
  static func system(_ operation: StaticString) -> LMDBError {
    LMDBError(code: errno, operation: "\(operation)")
  }
}

// MARK: - Error mapping

/// Maps the engine errors of `body` to `PersistenceError`.
///
/// - Parameter store: The store's name in the errors.
func translatingErrors<Result>(store: String?, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as LMDBError {
    throw error.persistenceError(store: store)
  } catch var error as PersistenceError where error.store == nil {
    error.store = store
    throw error
  }
}

extension LMDBError {
  /// The error as the contract of a store names it.
  func persistenceError(store: String?) -> PersistenceError {
    let (code, message) = translation
    return PersistenceError(code, message, store: store, underlying: self)
  }

  private var translation: (PersistenceError.Code, String) {
    switch code {
    case MDB_MAP_FULL:
      (.storeFull, "The store has reached the largest size that it may have.")
    case ENOSPC, EDQUOT, EFBIG:
      (.storeFull, "The disk or the file has no room left.")
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
      (.corruptStore, "The file is damaged.")
    case MDB_INVALID:
      (.persistentStoreTypeMismatch, "The file is not an LMDB database.")
    case MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE:
      (.persistentStoreOpen, "The file, or its lock file, is of another version of LMDB.")
    case MDB_READERS_FULL:
      (.storeBusy, "Too many transactions read the file at once.")
    case MDB_TXN_FULL, MDB_DBS_FULL, MDB_BAD_VALSIZE:
      (.limitExceeded, "The request is larger than LMDB allows.")
    case EACCES, EPERM, EROFS:
      (.persistentStoreOpen, "The file cannot be opened as it was asked for.")
    case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG:
      (.persistentStoreOpen, "There is no such file, or no such folder.")
    case ENOMEM:
      (.persistentStoreOperation, "There is not enough memory, or not enough room for addresses.")
    case MDB_PANIC:
      (
        .persistentStoreOperation,
        "Writing the file failed in a way after which it has to be opened again."
      )
    case EIO:
      (.persistentStoreOperation, "Reading or writing the file failed.")
    default:
      (.persistentStoreOperation, "LMDB could not \(operation).")
    }
  }
}
