// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The views in a file, in the open transaction of a connection.
struct SQLiteViewFile {
  let store: SQLiteStore
  let connection: SQLiteConnection

  /// Returns the names of Roost's views by their places.
  private func names() throws -> [SQLiteViewPlace: [String]] {
    try connection.withStatement(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY name"
    ) { statement in
      var names: [SQLiteViewPlace: [String]] = [:]
      while try statement.step() {
        guard let place = SQLiteViewPlace(definition: statement.string(1) ?? "") else { continue }
        names[place, default: []].append(statement.string(0) ?? "")
      }
      return names
    }
  }

  /// Removes the views of a place.
  ///
  /// - Returns: Their names, as statements name them.
  @discardableResult
  func remove(_ place: SQLiteViewPlace) throws -> [String] {
    let names = try names()[place, default: []].map(SQLView.quoted)
    for name in names { try execute("DROP VIEW \(name)") }
    return names
  }

  /// Makes the views of a place where there are none.
  ///
  /// - Returns: Their names, as statements name them.
  @discardableResult
  func make(_ place: SQLiteViewPlace, _ mapping: SQLSchema) throws -> [String] {
    let views = mapping.views(prefix: place.prefix)
    let taken = try connection.withStatement("SELECT lower(name) FROM sqlite_schema") {
      statement in
      var names: Set<String> = []
      while try statement.step() { names.insert(statement.string(0) ?? "") }
      return names
    }
    for view in views {
      guard !taken.contains(view.name.lowercased()) else {
        throw PersistenceError(
          .invalidRequest,
          "The name of the view \(view.name) is taken in the file: choose another prefix.")
      }
      try execute(place.definition(view))
    }
    return views.map(\.quotedName)
  }

  /// Removes all of Roost's views before a migration: SQLite refuses to change a table while a view names what is no
  /// longer there.
  ///
  /// - Returns: Their places.
  func removeAll() throws -> [SQLiteViewPlace] {
    let places = try names().keys.sorted { UTF8Order.isLess($0.prefix, $1.prefix) }
    for place in places { try remove(place) }
    return places
  }

  private func execute(_ statement: String) throws {
    store.log(statement)
    try connection.execute(statement)
  }
}
