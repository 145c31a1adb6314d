// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostStore

/// Checks that a session behind a pooler is still the one that was configured.
///
/// When a connection is opened behind an undeclared pooler, a comparison shows whether the pooler shares sessions. It
/// cannot prove that the pooler never will: a lone client of a pooler in transaction mode may get the same session
/// again and again. So every transaction behind such a pooler begins with this check, in the same round trip; in
/// another session, the server runs none of the statements that follow.
struct SessionCheck {
  /// The setting that identifies a session.
  static let variable = "roost.session"

  /// Divides by zero in any other session.
  let command: PostgreSQLCommand

  init(backend: Int32, token: String) {
    command = .once(
      """
      SELECT 1 / CAST(pg_catalog.pg_backend_pid() = \(backend) AND \
      coalesce(pg_catalog.current_setting('\(Self.variable)', true) = '\(token)', FALSE) AS integer)
      """)
  }

  /// The error of a transaction that runs in another session.
  static let failure = PostgreSQLError(kind: .moved, message: "the session is another client's")
}

extension PostgreSQLConnection {
  /// The number of times that two connections are compared.
  private static let comparisons = 4

  /// Returns whether a pooler shares sessions: whether a connection gets another session for its next transaction, or
  /// one that another open connection had.
  ///
  /// Runs only behind an undeclared pooler. When no second connection can be opened soon, nothing can be compared;
  /// then only ``SessionCheck`` remains.
  ///
  /// - Parameter second: Opens another connection to the same server; returns nil for no comparison.
  func sharesSessions(with second: () throws -> PostgreSQLConnection?) throws -> Bool {
    let first = try askBackend()
    backend = first
    guard let other = try? second(), let its = try? other.askBackend() else { return false }
    for _ in 0..<Self.comparisons {
      guard its != first, try askBackend() == first, (try? other.askBackend()) == its else {
        return true
      }
    }
    return false
  }

  /// Returns the number of the server process that runs this.
  private func askBackend() throws -> Int32 {
    Int32(
      truncatingIfNeeded: try run(.once("SELECT CAST(pg_catalog.pg_backend_pid() AS bigint)"))
        .integer())
  }
}
