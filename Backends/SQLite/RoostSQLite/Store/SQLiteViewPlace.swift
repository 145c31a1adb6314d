// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The prefix of a set of views in a file. Each view has it in a comment of its definition, by which it is known for
/// one of Roost's.
struct SQLiteViewPlace: Hashable {
  let prefix: String

  private static let standard = "v_"
  private static let longestPrefix = 32
  private static let mark = "/* A view of Roost with the prefix "
  private static let markEnd = " */ "

  /// - Throws: `invalidRequest` for a prefix with other characters than letters, digits and underscores.
  init(_ prefix: String?) throws {
    let prefix = prefix ?? Self.standard
    guard Self.isPrefix(prefix) else {
      throw PersistenceError(
        .invalidRequest,
        "A prefix of views has 1 to \(Self.longestPrefix) letters, digits and underscores, and begins neither with "
          + "sqlite_ nor with _: “\(prefix)” does not.")
    }
    self.prefix = prefix
  }

  /// Finds the place of a view by its definition; nil for a view of another program.
  init?(definition: String) {
    guard let mark = definition.firstRange(of: " AS " + Self.mark),
      let end = definition[mark.upperBound...].firstRange(of: Self.markEnd)
    else { return nil }
    let prefix = String(definition[mark.upperBound..<end.lowerBound])
    guard Self.isPrefix(prefix),
      definition[..<mark.lowerBound].hasPrefix("CREATE VIEW \"\(prefix)")
    else { return nil }
    self.prefix = prefix
  }

  private static func isPrefix(_ text: String) -> Bool {
    SQLNames.isIdentifier(text) && text.utf8.count <= longestPrefix
      && text.unicodeScalars.first?.properties.numericType == nil
      && !text.lowercased().hasPrefix("sqlite_")
  }

  /// Returns the statement that makes a view.
  func definition(_ view: SQLView) -> String {
    "CREATE VIEW \(view.quotedName) AS \(Self.mark)\(prefix)\(Self.markEnd)\(view.query)"
  }
}
