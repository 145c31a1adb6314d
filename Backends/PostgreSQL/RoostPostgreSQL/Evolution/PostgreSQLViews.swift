// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

/// Makes views of a store in another schema of its database.
struct PostgreSQLViews: StoreViews {
  let store: PostgreSQLStore

  private func place(_ schema: String?) throws -> PostgreSQLViewPlace {
    try PostgreSQLViewPlace(schema, of: store.pool.settings.namespace)
  }

  func statements(in schema: String?) throws -> [String] {
    let place = try place(schema)
    let views = try store.prepared().mapping.views()
    return ["CREATE SCHEMA IF NOT EXISTS \(SQLView.quoted(place.schema))"]
      + views.flatMap { view in
        [
          "DROP VIEW IF EXISTS \(place.name(view))", place.definition(view), place.marking(view),
        ]
      }
  }

  func write(in schema: String?) throws -> [String] {
    let place = try place(schema)
    let views = try store.prepared().mapping.views()
    return try changing { try $0.replace(views, in: place) }
  }

  func remove(in schema: String?) throws -> [String] {
    let place = try place(schema)
    return try changing { try $0.remove(from: place) }
  }

  private func changing(
    _ body: (PostgreSQLViewWriter) throws -> [String]
  ) throws -> [String] {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      // Views of the second version would be in the way when that version is abandoned.
      guard store.oldVersion == nil else {
        throw PersistenceError(
          .persistentStoreOperation,
          "The store serves two versions of its model: make views of the second one after the "
            + "first has ended.")
      }
      return try store.withConnection { connection in
        do {
          return try LockRetry(store: store).run(connection) { wait in
            _ = try connection.run([
              .begin, .once("SET LOCAL lock_timeout = \(wait)"),
              try connection.namespace.makingLock(),
            ]).get()
            try store.checkVersion(connection)
            let names = try body(
              PostgreSQLViewWriter(log: store.description.log, connection: connection))
            try connection.run(.commit)
            return names
          }
        } catch {
          try? connection.rollBack()
          throw error
        }
      }
    }
  }
}

extension PostgreSQLStore {
  package var views: (any StoreViews)? { PostgreSQLViews(store: self) }
}
