// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The schema of a set of views of a store. Each view has a comment that names the store's schema, and so shows that it
/// is one of this store.
struct PostgreSQLViewPlace {
  /// The name of the schema.
  let schema: String
  /// The comment of the store's views there.
  let comment: String

  private static let standard = "roost_views"

  /// - Throws: `invalidRequest` for a name that no schema can have, or that is the store's own.
  init(_ schema: String?, of namespace: PostgreSQLNamespace) throws {
    let schema = schema ?? Self.standard
    guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0),
      !schema.hasPrefix("pg_"), schema != "information_schema"
    else {
      throw PersistenceError(
        .invalidRequest,
        "The name of a schema has 1 to 63 bytes and is none of the system's own: “\(schema)” cannot be used."
      )
    }
    guard schema != namespace.schema else {
      throw PersistenceError(
        .invalidRequest,
        "The schema \(schema) is the store: views have a schema of their own.")
    }
    self.init(existing: schema, of: namespace)
  }

  /// The place of existing views.
  init(existing schema: String, of namespace: PostgreSQLNamespace) {
    self.schema = schema
    comment = Self.comment(namespace)
  }

  /// The comment of the views of a store.
  static func comment(_ namespace: PostgreSQLNamespace) -> String {
    "A view of the Roost store in the schema \(namespace.schema)"
  }

  /// Returns a view, as statements name it.
  func name(_ view: SQLView) -> String { name(view.name) }

  /// Returns a view with a name, as statements name it.
  func name(_ view: String) -> String { SQLView.quoted(schema) + "." + SQLView.quoted(view) }

  /// Returns the statement that makes a view.
  func definition(_ view: SQLView, replacing: Bool = false) -> String {
    "CREATE \(replacing ? "OR REPLACE " : "")VIEW \(name(view)) AS \(view.query)"
  }

  /// The statements that make the schema, and mark it as one that is removed with its views.
  var definitions: [String] {
    let name = SQLView.quoted(schema)
    return [
      "CREATE SCHEMA \(name)",
      "COMMENT ON SCHEMA \(name) IS \(PostgreSQLNamespace.literal(comment))",
    ]
  }

  /// Returns the statement that marks a view as the store's.
  func marking(_ view: SQLView) -> String {
    "COMMENT ON VIEW \(name(view)) IS \(PostgreSQLNamespace.literal(comment))"
  }
}
