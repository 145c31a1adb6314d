// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import RoostModel
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("Statements of the program", .enabled(if: Servers.isThere))
struct TextReadingTests {
  @Test("a setting that a statement changes is undone with it: saves stay durable (B366)")
  func settings() throws {
    let notebook = try Notebook(Servers.description())
    let sql = try #require(notebook.store.sql)
    let changes: [(String, String)] = [
      ("synchronous_commit", "off"), ("default_transaction_read_only", "on"),
    ]
    for (name, value) in changes {
      let before = try sql.rows(of: "SELECT current_setting(\(name)) AS v").first?["v"]
      let within = try sql.rows(of: "SELECT set_config(\(name), \(value), false) AS v").first?["v"]
      let after = try sql.rows(of: "SELECT current_setting(\(name)) AS v").first?["v"]
      #expect(within.map { "\($0)" } != before.map { "\($0)" })
      #expect(after.map { "\($0)" } == before.map { "\($0)" })
    }
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("types of the server that no attribute has are read, or refused with their column")
  func types() throws {
    let notebook = try Notebook(Servers.description())
    let sql = try #require(notebook.store.sql)
    let rows = try sql.rows(
      of: """
        SELECT timestamptz '2001-01-01 00:00:01+00' AS at, date '2001-01-02' AS day, int2 '7' AS small,
          real '1.5' AS short, '{}'::json AS json, sum(n) AS sum
        FROM (VALUES (\(1)), (\(2))) AS v (n)
        """)
    let row = try #require(rows.first)
    #expect(try row.value("at", as: Date.self).timeIntervalSinceReferenceDate == 1)
    #expect(try row.value("day", as: Date.self).timeIntervalSinceReferenceDate == 86_400)
    #expect(try row.value("small", as: Int16.self) == 7)
    #expect(try row.value("short", as: Float.self) == 1.5)
    #expect(try row.value("json", as: String.self) == "{}")
    #expect(try row.value("sum", as: Int.self) == 3)
    for refused: SQLText in [
      "SELECT point '(1,2)' AS p", "SELECT date 'infinity' AS d",
      "SELECT count(DISTINCT n) OVER () AS c FROM (VALUES (1)) AS v (n)",
    ] {
      let error = #expect(throws: PersistenceError.self) { try sql.rows(of: refused) }
      #expect(error?.code == .invalidRequest)
    }
    try notebook.close()
  }
}
