// SPDX-License-Identifier: Apache-2.0

/// A view that shows the records of an entity, or the links of a relationship, in types that every tool reads.
package struct SQLView: Sendable, Hashable {
  /// The name of the view, which can contain any character.
  package let name: String
  /// The query of the view.
  package let query: String

  /// A column of a view.
  struct Column {
    let name: String
    /// The expression of its values.
    let expression: String
  }

  init(name: String, columns: [Column], source: String) {
    self.name = name
    let terms = columns.map { $0.expression + " AS " + Self.quoted($0.name) }
    query = "SELECT \(terms.joined(separator: ", ")) FROM \(source)"
  }

  /// The name of the view, as statements name it.
  package var quotedName: String { Self.quoted(name) }

  /// Returns a quoted identifier of any name. Neither database accepts NUL in one.
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\0", with: "").replacing("\"", with: "\"\"") + "\""
  }
}
