// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

/// Makes views in the file.
struct SQLiteViews: StoreViews {
  let store: SQLiteStore

  func statements(in place: String?) throws -> [String] {
    let place = try SQLiteViewPlace(place)
    return try store.prepared().mapping.views(prefix: place.prefix).flatMap { view in
      ["DROP VIEW IF EXISTS \(view.quotedName)", place.definition(view)]
    }
  }

  func write(in place: String?) throws -> [String] {
    let place = try SQLiteViewPlace(place)
    let mapping = try store.prepared().mapping
    return try changing { file in
      try file.remove(place)
      return try file.make(place, mapping)
    }
  }

  func remove(in place: String?) throws -> [String] {
    let place = try SQLiteViewPlace(place)
    return try changing { try $0.remove(place) }
  }

  private func changing(_ body: (SQLiteViewFile) throws -> [String]) throws -> [String] {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try store.pool.write(store.cancellation) { connection in
        try connection.writing {
          try store.pool.checkVersion(connection)
          return try body(SQLiteViewFile(store: store, connection: connection))
        }
      }
    }
  }
}

extension SQLiteStore {
  package var views: (any StoreViews)? { SQLiteViews(store: self) }
}
