// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostStore

/// Makes sure that a session behind a pooler is still the one that was configured.
///
/// Of a pooler that was not declared it is found out, when a connection is made, whether it shares sessions. Whether it
/// never will cannot be found out: a lone client of a pooler in transaction mode may get the same session again and
/// again. So every transaction behind such a pooler begins with this check, in the same round trip; when the session is
/// another one, the server runs nothing of what follows.
struct SessionCheck {
  /// The setting by which a session is recognised.
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

  /// What a transaction throws that finds itself in another session.
  static let failure = PostgreSQLError(kind: .moved, message: "the session is another client's")
}

extension PostgreSQLConnection {
  /// How often two connections are compared.
  private static let comparisons = 4

  /// Finds out whether a pooler shares sessions: whether a connection gets another session for its next transaction, or
  /// one that another connection had, which still stands.
  ///
  /// Runs only behind a pooler that was not declared. Where no second connection can be had soon, there is nothing to
  /// compare; then only ``SessionCheck`` remains.
  ///
  /// - Parameter second: Another connection to the same place; nil for no comparison.
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

  /// The number of the server's process that runs this.
  private func askBackend() throws -> Int32 {
    Int32(
      truncatingIfNeeded: try run(.once("SELECT CAST(pg_catalog.pg_backend_pid() AS bigint)"))
        .integer())
  }
}
