// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// A prepared transaction, which the server keeps until it is committed or rolled back, even when the session ends.
struct PreparedTransaction {
  let save: SaveID
  /// The global identifier. It contains the store's identifier, because prepared transactions of all databases of a
  /// server share one namespace.
  let name: String

  init(_ save: SaveID, of store: StoreIdentity) {
    self.save = save
    name = Self.prefix(of: store) + save.description
  }

  /// The prefix of the names of all prepared transactions of a store.
  static func prefix(of store: StoreIdentity) -> String { "roost:\(store.identifier):" }

  /// The name as a literal: the server takes no parameter there.
  var literal: String { PostgreSQLNamespace.literal(name) }

  /// Returns whether the transaction is prepared on the server.
  func exists(_ connection: PostgreSQLConnection) throws -> Bool {
    try connection.run(
      PostgreSQLCommand(
        """
        SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_prepared_xacts \
        WHERE gid = $1 AND database = pg_catalog.current_database())
        """, [.text(name)])
    ).isTrue()
  }

  /// Finds out whether a lost connection has prepared it, and otherwise makes sure that it never will be prepared.
  ///
  /// - Parameter mark: The row that the transaction writes.
  /// - Returns: nil when the outcome is still unknown at the deadline.
  func fate(
    of mark: CommitToken, in store: PostgreSQLStore, _ deadline: Deadline
  ) -> PostgreSQLStore.Fate? {
    while true {
      // Once it is prepared, its row is locked: reading the mark would wait.
      let isPrepared = try? store.pool.withConnection(deadline: deadline) { try exists($0) }
      if isPrepared == true { return .committed }
      if let fate = try? store.ask(mark, Deadline(after: min(0.5, deadline.remaining))) {
        return fate
      }
      guard deadline.remaining > 0.1 else { return nil }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }
}
