// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Whether a connection pooler, such as PgBouncer, is between a store and its server, and how it shares sessions.
///
/// A pooler in transaction mode gives a session of the server to a client for one transaction, and then to the next
/// client, which may be another program. A store that knows it keeps no state in its session: it prepares no
/// statements, takes no locks that outlive a transaction, and makes the settings that a save depends on in the save's
/// own transaction.
///
/// ```swift
/// let store = PersistentStoreDescription.postgresql(
///   host: "pool.example.com", port: 6432, database: "hr", user: "app", password: password,
///   pooler: .transaction)
/// ```
///
/// A pooler in session mode needs no declaration. An undeclared pooler in transaction mode is detected when the store
/// connects, and refused with `persistentStoreOpen`.
public enum PostgreSQLPooler: String, Sendable, Hashable, CaseIterable {
  /// The sessions are the store's own: there is no pooler, or one in session mode.
  case none
  /// A pooler in transaction mode: sessions are shared with other clients, transaction by transaction.
  case transaction

  /// The error for an undeclared pooler that shares sessions.
  static let undeclared = PersistenceError(
    .persistentStoreOpen,
    "A connection pooler in transaction mode is between the program and the server. "
      + "Describe the store with `pooler: .transaction`, or connect to the pooler in session mode, "
      + "or to the server itself.")
}
