// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation

/// A direct connection, for changes by other programs to the store's database.
final class RawSession: @unchecked Sendable {
  // Sendable: tests hand it from one thread to another, and never use it in two at once.

  private let handle: OpaquePointer?

  init(_ uri: String) throws {
    handle = PQconnectdb(uri)
    guard PQstatus(handle) == CONNECTION_OK else {
      throw RawError(text: String(cString: PQerrorMessage(handle)))
    }
  }

  deinit {
    PQfinish(handle)
  }

  struct RawError: Error {
    let text: String
  }

  func run(_ statements: [String]) throws {
    for statement in statements { try rows(statement) }
  }

  /// Returns the first column of a statement's rows.
  @discardableResult
  func rows(_ statement: String) throws -> [String] {
    let result = PQexec(handle, statement)
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      throw RawError(text: String(cString: PQerrorMessage(handle)))
    }
    return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
  }
}
