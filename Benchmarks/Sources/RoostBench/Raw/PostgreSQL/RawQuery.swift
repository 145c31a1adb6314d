// SPDX-License-Identifier: Apache-2.0

/// The statements of the PostgreSQL baseline, each a constant: no statement is composed or looked up by its text
/// during a measurement. A connection prepares each before its first run.
enum RawQuery: Int, CaseIterable {
  case all, one, top, departments, departmentName, departmentIDs, departmentKey
  case sumOfDepartment, sums, averages
  case first, change, delete, insert

  private static let columns = "id, name, email, age, score, created, active, uuid, bio, department"

  private static let texts = allCases.map(\.text)
  private static let names = allCases.map { "s\($0.rawValue)" }

  /// The statement as SQL.
  var sql: String { Self.texts[rawValue] }
  /// The name of the prepared statement.
  var name: String { Self.names[rawValue] }

  private var text: String {
    switch self {
    case .all: "SELECT \(Self.columns) FROM person"
    case .one: "SELECT \(Self.columns) FROM person WHERE id = $1::int8"
    case .top:
      """
      SELECT \(Self.columns) FROM person WHERE age BETWEEN $1::int4 AND $2::int4 AND active
      ORDER BY score DESC LIMIT 100
      """
    case .departments: "SELECT id, name FROM department"
    case .departmentName: "SELECT name FROM department WHERE id = $1::int8"
    case .departmentIDs: "SELECT id FROM department"
    case .departmentKey: "SELECT id FROM department LIMIT 1"
    case .sumOfDepartment:
      "SELECT count(*), coalesce(sum(age), 0) FROM person WHERE department = $1::int8"
    case .sums: "SELECT count(*), sum(age) FROM person GROUP BY department"
    case .averages: "SELECT department, avg(score) FROM person GROUP BY department"
    case .first: "SELECT \(Self.columns) FROM person ORDER BY id LIMIT $1::int8"
    case .change:
      """
      UPDATE person SET score = changed.score
      FROM unnest($1::int8[], $2::float8[]) AS changed (id, score) WHERE person.id = changed.id
      """
    case .delete: "DELETE FROM person WHERE id = ANY ($1::int8[])"
    case .insert:
      """
      INSERT INTO person (\(Self.columns)) VALUES ($1::int8, $2::text, $3::text, $4::int4,
      $5::float8, $6::float8, $7::bool, $8::uuid, $9::text, $10::int8)
      """
    }
  }
}
