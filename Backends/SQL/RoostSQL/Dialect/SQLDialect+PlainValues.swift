// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Expressions that turn stored values into values of common types, with the database's own functions only: other
// programs evaluate them.
extension SQLDialect {
  /// The syntax of views for other programs.
  package struct Views: Sendable {
    /// Writes the expression of a stored value in a type that other programs read. Defaults to the column.
    package var plainValue: @Sendable (_ kind: SlotKind, _ column: String) -> String = { $1 }
    /// Writes a text as a literal. Defaults to the standard's.
    package var literal: @Sendable (String) -> String = standardLiteral
  }

  /// The seconds from 1970 to 2001, from which a stored date counts.
  private static let reference = "978307200.0"

  // MARK: - SQLite

  /// Writes the expression of a value as number, text or bytes: dates in ISO 8601, decimals as digits, UUIDs in their
  /// usual form.
  static func sqlitePlainValue(_ kind: SlotKind, _ column: String) -> String {
    switch kind {
    case .date: sqliteDate(column)
    case .decimal: sqliteDecimal(column)
    case .uuid: sqliteUUID(column)
    case .integer, .boolean, .reference, .position, .double, .string, .uri, .data, .transformable:
      column
    }
  }

  /// SQLite's functions know the years 0 to 9999.
  private static func sqliteDate(_ column: String) -> String {
    "CASE WHEN \(column) < -63145526400.0 THEN '-infinity'"
      + " WHEN \(column) >= 252423993600.0 THEN 'infinity'"
      + " ELSE strftime('%Y-%m-%dT%H:%M:%fZ', \(column) + \(reference), 'unixepoch') END"
  }

  private static func sqliteUUID(_ column: String) -> String {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
      "substr(hex(\(column)), \($0), \($1))"
    }
    // For NULL, `hex` is an empty text.
    return
      "CASE WHEN \(column) IS NOT NULL THEN lower(\(parts.joined(separator: " || '-' || "))) END"
  }

  /// Reads the encoding of `DecimalCode`: `b` is its hexadecimal text and whether the number is negative, which means
  /// that all bits of the exponent and the digits are inverted; `d` has one row more for each two digits; `e` is the
  /// exponent, the digits and the sign.
  private static func sqliteDecimal(_ column: String) -> String {
    func byte(_ position: String) -> String {
      let digits = "'0123456789ABCDEF'"
      return "(instr(\(digits), substr(h, \(position), 1)) * 16"
        + " + instr(\(digits), substr(h, \(position) + 1, 1)) - 17)"
    }
    func zeros(_ count: String) -> String { "replace(hex(zeroblob(\(count))), '00', '0')" }
    return "CASE WHEN \(column) = x'80' THEN '0' WHEN \(column) IS NOT NULL THEN (WITH RECURSIVE"
      + " b(h, n) AS (SELECT hex(\(column)), \(column) < x'80'),"
      + " d(k, t) AS (SELECT 7, '' UNION ALL"
      + " SELECT k + 2, t || printf('%02d', abs(255 * n - \(byte("k"))) - 1)"
      + " FROM d, b WHERE k < length(h) - 2 * n),"
      + " e(x, s, n) AS (SELECT abs(65535 * n - (\(byte("3")) * 256 + \(byte("5")))) - 1024,"
      + " (SELECT rtrim(t, '0') FROM d ORDER BY k DESC LIMIT 1), n FROM b)"
      + " SELECT CASE n WHEN 1 THEN '-' ELSE '' END ||"
      + " CASE WHEN x <= 0 THEN '0.' || \(zeros("-x")) || s"
      + " WHEN x >= length(s) THEN s || \(zeros("x - length(s)"))"
      + " ELSE substr(s, 1, x) || '.' || substr(s, x + 1) END FROM e) END"
  }

  // MARK: - PostgreSQL

  /// Writes the expression of a value in the type that PostgreSQL has for it. Only dates are stored in another one.
  static func postgreSQLPlainValue(_ kind: SlotKind, _ column: String) -> String {
    guard kind == .date else { return column }
    // Beyond the range of the type, the function would be an error of the whole query.
    return "CASE WHEN \(column) < -211845110400 THEN CAST('-infinity' AS timestamp with time zone)"
      + " WHEN \(column) >= 9223339708799 THEN CAST('infinity' AS timestamp with time zone)"
      + " ELSE pg_catalog.to_timestamp(\(column) + \(reference)) END"
  }

  // MARK: - Literals

  static func standardLiteral(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }

  /// A literal that is valid whatever `standard_conforming_strings` says.
  static func postgreSQLLiteral(_ text: String) -> String {
    let literal = standardLiteral(text)
    guard literal.contains("\\") else { return literal }
    return " E" + literal.replacing("\\", with: "\\\\")
  }
}
