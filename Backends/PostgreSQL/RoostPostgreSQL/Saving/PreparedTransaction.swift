// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// A transaction that the server keeps until it is told how it ends, whatever becomes of the session.
struct PreparedTransaction {
  let save: SaveID
  /// The name by which the server knows it: that of the store is part of it, since the names are those of all databases
  /// of a server.
  let name: String

  init(_ save: SaveID, of store: StoreIdentity) {
    self.save = save
    name = Self.prefix(of: store) + save.description
  }

  /// What the names of all of a store's begin with.
  static func prefix(of store: StoreIdentity) -> String { "roost:\(store.identifier):" }

  /// The name, as it stands in a statement: the server takes no parameter there.
  var literal: String { PostgreSQLNamespace.literal(name) }

  /// Whether the server keeps it.
  func exists(_ connection: PostgreSQLConnection) throws -> Bool {
    try connection.run(
      PostgreSQLCommand(
        """
        SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_prepared_xacts \
        WHERE gid = $1 AND database = pg_catalog.current_database())
        """, [.text(name)])
    ).isTrue()
  }

  /// Finds out whether it was prepared by a connection that was lost; makes sure that it never will be unless it was.
  ///
  /// - Parameter mark: The row that the transaction writes.
  /// - Returns: nil when that could not be found out until the deadline.
  func fate(
    of mark: CommitToken, in store: PostgreSQLStore, _ deadline: Deadline
  ) -> PostgreSQLStore.Fate? {
    while true {
      // Once it is prepared, its row is locked: who asks for that would wait.
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
