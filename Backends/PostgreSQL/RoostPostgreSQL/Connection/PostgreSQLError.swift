// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel
import RoostSQL
import RoostStore

/// An error of a PostgreSQL server or of libpq.
///
/// The server puts stored values into its details, and sometimes into its messages. Neither is part of the
/// description; they are in ``detail``.
package struct PostgreSQLError: Error, Sendable, CustomStringConvertible {
  /// The SQLSTATE; empty for an error of libpq itself, such as a lost connection.
  package let sqlState: String
  /// The primary message, without stored values.
  package let message: String
  /// The detail message, which can contain stored values.
  package let detail: String?
  /// The constraint or index that refused a value.
  package let constraint: String?
  /// The table and the column of the error, or the values that one of Roost's functions has put in their place.
  package let table: String?
  package let column: String?
  /// The statement that failed, without the values that were bound to it.
  package var statement: String?
  /// The kind of error, which tells the state of the connection.
  package let kind: Kind
  /// Whether a ``LockWatch`` has canceled the statement.
  private(set) var isStoppedByWatch = false

  package enum Kind: Sendable, Hashable {
    /// The server refused a statement.
    case refused
    /// The connection is lost.
    case lost
    /// The server was silent for too long.
    case silent
    /// A pooler has given the session to another client; nothing ran.
    case moved
    /// The request was cancelled; nothing of it was written.
    case cancelled
  }

  init(kind: Kind, message: String, sqlState: String = "") {
    self.kind = kind
    self.message = message
    self.sqlState = sqlState
    detail = nil
    constraint = nil
    table = nil
    column = nil
    statement = nil
  }

  /// Reads the error of a result.
  init(_ result: OpaquePointer, statement: String?) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let state = field("C") ?? ""
    let primary = field("M") ?? ""
    let addition = field("D")
    sqlState = state
    constraint = field("n")
    table = field("t")
    column = field("c")
    self.statement = statement
    kind = Self.isLoss(state) ? .lost : .refused
    if Self.canRepeatValues(state) {
      message = "a value was refused"
      detail = [primary, addition].compactMap { $0 }.joined(separator: ". ")
    } else if state.isEmpty {
      message = "the connection to the server was lost"
      detail = PQresultErrorMessage(result).map { String(cString: $0) }
    } else {
      message = primary
      detail = addition
    }
  }

  /// Returns whether the server closes the connection with such a code, or has closed it.
  private static func isLoss(_ state: String) -> Bool {
    state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05"].contains(state)
  }

  /// Returns whether the messages of a class of codes repeat values: data exceptions, constraint violations, and
  /// errors that functions raise.
  private static func canRepeatValues(_ state: String) -> Bool {
    state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("P0")
  }

  package var description: String {
    let code = sqlState.isEmpty ? "" : " \(sqlState)"
    let end = statement.map { " in: \($0)" } ?? ""
    return "PostgreSQL error\(code): \(message)\(end)"
  }
}

// MARK: - Kinds of errors

extension PostgreSQLError {
  var isUniquenessViolation: Bool { sqlState == "23505" }

  /// Whether the transaction failed because of a concurrent one (serialization failure or deadlock) and can be retried
  /// as it is.
  var isCollision: Bool { sqlState == "40001" || sqlState == "40P01" }

  /// Whether the prepared statements of the connection no longer fit the tables, or do not exist any more.
  var isOutdatedStatement: Bool {
    sqlState == "0A000" || sqlState == "26000" || sqlState == "42P05"
  }

  /// Whether it is the error that a version check raises on purpose.
  var isDivisionByZero: Bool { sqlState == "22012" }

  /// Whether a time-out has expired, which another client of a shared session may have set.
  var isLimitOfTime: Bool { sqlState == "55P03" || sqlState == "57014" }

  /// Whether the session or the server is read-only.
  var refusesWriting: Bool { sqlState == "25006" }

  /// Whether the statement was canceled.
  var isStopped: Bool { sqlState == "57014" }

  /// The same error, marked as caused by a ``LockWatch``.
  var asStoppedByWatch: PostgreSQLError {
    var error = self
    error.isStoppedByWatch = true
    return error
  }

  /// Whether a number was out of the range of its type.
  var isOutOfRange: Bool { sqlState == "22003" }

  /// Whether a schema was not dropped because it is not empty, or because it belongs to another owner.
  var keepsSchema: Bool { sqlState == "2BP01" || sqlState == "42501" }

  /// Whether an object was not dropped because another object depends on it.
  var hasDependents: Bool { sqlState == "2BP01" }

  /// Whether a table or a column differs from the one that Roost created.
  var isChangedTable: Bool {
    ["42P01", "42703", "42804", "42883", "42P07", "42P10", "3F000"].contains(sqlState)
  }

  /// Whether the user lacks a privilege.
  var lacksPrivilege: Bool { sqlState == "42501" }

  /// Whether the server does not support prepared transactions, or has reached their limit.
  var refusesPreparing: Bool {
    sqlState == "55000" || (sqlState == "53400" && statement?.hasPrefix("PREPARE") == true)
  }

  /// Whether no prepared transaction has the given name.
  var isUnknownTransaction: Bool { sqlState == "42704" }

  /// Whether another session is finishing the same prepared transaction.
  var isTransactionBusy: Bool { sqlState == "55000" || sqlState == "55006" }

  /// Whether a statement names a table that does not exist.
  var isMissingTable: Bool { sqlState == "42P01" }
}

// MARK: - Mapping to PersistenceError

/// Runs `body` and maps `PostgreSQLError` to `PersistenceError`.
///
/// - Parameter store: The store that the errors name.
func translatingErrors<Result>(store: String?, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as PostgreSQLError {
    throw error.persistenceError(store: store)
  } catch var error as PersistenceError where error.store == nil {
    error.store = store
    throw error
  }
}

extension PostgreSQLError {
  /// Returns the error as a `PersistenceError`.
  func persistenceError(store: String?) -> PersistenceError {
    if sqlState == SQLExpansion.refusalState {
      return PersistenceError(
        .managedObjectValidation, message, entityName: table, key: column, store: store,
        underlying: self)
    }
    let (code, message) = translation
    var error = PersistenceError(code, message, store: store, underlying: self)
    error.isUnreachable = kind == .lost || kind == .silent
    return error
  }

  private var translation: (PersistenceError.Code, String) {
    switch kind {
    case .moved: return (PostgreSQLPooler.undeclared.code, PostgreSQLPooler.undeclared.message)
    case .silent: return (.persistentStoreTimeout, "The server did not answer in time.")
    case .cancelled:
      return (RequestCancellation.error.code, RequestCancellation.error.message)
    case .lost: return (.persistentStoreOperation, "The connection to the server was lost.")
    case .refused: break
    }
    if isChangedTable {
      return (.corruptStore, "A table of the store is not as the store has made it.")
    }
    switch sqlState {
    case "22003": return (.arithmeticOverflow, "A number is beyond the range of its type.")
    case "2200H": return (.limitExceeded, "The store has no sequence numbers left.")
    case "25006": return (.readOnlyStore, "The database cannot be written.")
    case "42501": return (.persistentStoreOperation, "The user lacks the right to do this.")
    case "53100", "53200": return (.storeFull, "The server has no room left.")
    case "54000", "54001", "54011", "54023":
      return (.limitExceeded, "A value or a statement is larger than the server allows.")
    case "55P03", "55006": return (.storeBusy, "Another connection held what was asked for.")
    case "57014": return (.persistentStoreTimeout, "The server stopped the request.")
    case "XX001", "XX002": return (.corruptStore, "The database is damaged.")
    default:
      return isCollision
        ? (.storeBusy, "Other transactions were faster again and again.")
        : (.persistentStoreOperation, "The database refused a statement: \(message).")
    }
  }
}
