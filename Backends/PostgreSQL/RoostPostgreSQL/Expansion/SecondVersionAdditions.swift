// SPDX-License-Identifier: Apache-2.0

import RoostSQL

/// The tables, columns and indexes that have an identifier in the second version of a store and none in the first.
/// They are found by the names alone: the models need not be known.
struct SecondVersionAdditions {
  /// Tables of records and of links.
  private(set) var tables: [String] = []
  private(set) var indexes: [String] = []
  /// Columns of tables that both versions have.
  private(set) var columns: [(table: String, column: String)] = []
  /// The tables that both versions have.
  private(set) var sharedTables: [String] = []
  /// The tables of records and of links that either version has.
  private(set) var allTables: [String] = []

  init(old: [String: String], new: [String: String]) {
    let space = SQLNames.Path.tableSpace
    // Reserved identifiers of the old version are retired there: none of them is in use.
    func used(_ names: [String: String], _ part: String) -> [String: String] {
      names.filter { $0.key.hasPrefix("\(space)/\(part)/") }
    }
    func indexes(_ names: [String: String]) -> Set<String> {
      Set(
        names.filter { path, _ in
          path.hasPrefix(space + "/")
            && !["entity", "links", ""].contains { path.hasPrefix("\(space)/\($0)/") }
        }.values)
    }
    let oldTables = Set(used(old, "entity").values)
    let newTables = used(new, "entity")
    tables = Set(newTables.values).subtracting(oldTables)
      .union(Set(used(new, "links").values).subtracting(used(old, "links").values)).sorted()
    allTables = Set(
      [old, new].flatMap { names in
        ["entity", "links"].flatMap { used(names, $0).values }
      }
    ).sorted()
    self.indexes = indexes(new).subtracting(indexes(old)).sorted()
    sharedTables = oldTables.intersection(newTables.values).sorted()
    for (path, table) in newTables.sorted(by: { $0.key < $1.key }) where oldTables.contains(table) {
      guard let oldPath = used(old, "entity").first(where: { $0.value == table })?.key else {
        continue
      }
      let known = Self.columns(old, ofTableAt: oldPath)
      for column in Self.columns(new, ofTableAt: path).subtracting(known).sorted() {
        columns.append((table, column))
      }
    }
  }

  /// Returns the columns of a table that are in use, by the path of the table.
  private static func columns(_ names: [String: String], ofTableAt path: String) -> Set<String> {
    // The path of a table ends with the name of its root, escaped as in the space of its columns.
    let root = path.dropFirst("\(SQLNames.Path.tableSpace)/entity/".count)
    let space = "\(SQLNames.Path.columnSpace(table: ""))\(root)/"
    return Set(
      names.filter { $0.key.hasPrefix(space) && !$0.key.hasPrefix(space + "/") }.values)
  }
}
