// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Statements that a program writes itself. A store that is no SQL database refuses them all in one way.
extension FetchingCases {
  static let sql: [ConformanceCase] = [
    ConformanceCase(
      .fetching, "sql.rows",
      "a statement of the program gives what is saved, as a request does, or is refused as a whole (B363)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.context.make("Person", ["name": "Unsaved", "age": 99])
      guard try answersSQL(stack) else { return }
      let rows = try TextRequests(stack.coordinator).rows(
        of: """
          SELECT p.\(column: "name", of: "Person") AS name, p.\(column: "age", of: "Person") AS age,
            d.\(column: "name", of: "Department") AS department
          FROM \(table: "Person") AS p LEFT JOIN \(table: "Department") AS d
            ON d._key = p.\(column: "department", of: "Person")
          WHERE p.\(column: "age", of: "Person") > \(24) OR p.\(column: "name", of: "Person") = \("Cleo")
          ORDER BY 1;
          """, in: nil)
      try expectEqual(rows.columns, ["name", "age", "department"])
      let shown = try rows.map { row in
        let age = try row.value("age", as: Int32?.self).map(String.init) ?? "-"
        let department = try row.value("department", as: String?.self) ?? "-"
        return "\(try row.value("name", as: String.self)) \(age) \(department)"
      }
      let none: Int32? = nil
      let counts = try TextRequests(stack.coordinator).rows(
        of: """
          -- A comment before the word that counts; and a quote in it's no quote.
          SELECT count(*) AS n FROM \(table: "Person")
            WHERE coalesce(\(none), \(column: "age", of: "Person")) = \(25); /* and after it */
          """, in: nil)
      try expectEqual(try require(counts.first).value("n", as: Int.self), 2)
      try expectEqual(
        shown, ["Ada 36 Research", "Bob 25 Research", "Cleo - Sales", "Dan 40 Sales", "Eve 25 -"])
    },
    ConformanceCase(
      .fetching, "sql.values",
      "each type of attribute is read from a statement as it was saved (B363)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let badge = UUID()
      let born = Date(timeIntervalSinceReferenceDate: -1_234_567.5)
      let ada = try stack.context.make(
        "Person",
        [
          "name": "O'Hara; DROP TABLE", "salary": 7.25, "born": born, "isActive": true,
          "badge": badge,
        ])
      let budget = try Decimal("12345678901234567890.125", format: .number)
      let research = try stack.context.make("Department", ["name": "", "budget": budget])
      try ada.set("department", research)
      try stack.context.save()
      guard try answersSQL(stack) else { return }
      let name = "O'Hara; DROP TABLE"
      let rows = try TextRequests(stack.coordinator).rows(
        of: """
          SELECT p._key AS own, p.\(column: "department", of: "Person") AS department,
            p.\(column: "salary", of: "Person") AS salary, p.\(column: "born", of: "Person") AS born,
            p.\(column: "isActive", of: "Person") AS active, p.\(column: "badge", of: "Person") AS badge,
            p.\(column: "manager", of: "Person") AS manager, d.\(column: "name", of: "Department") AS text,
            d.\(column: "budget", of: "Department") AS budget, count(*) OVER () AS number
          FROM \(table: "Person") AS p, \(table: "Department") AS d
          WHERE p.\(column: "name", of: "Person") = \(name)
            AND p.\(column: "badge", of: "Person") IN \(list: [badge, UUID()])
            AND p.\(column: "born", of: "Person") = \(born) AND p.\(column: "isActive", of: "Person") = \(true)
            AND d._key = \(research.objectID) AND d.\(column: "budget", of: "Department") = \(budget)
          """, in: nil)
      let row = try require(rows.first, "the row")
      try expectEqual(try row.objectID("own"), ada.objectID)
      try expectEqual(try row.objectID("department"), research.objectID)
      try expectEqual(try row.objectID("manager"), nil)
      try expectEqual(try row.value("salary", as: Double.self), 7.25)
      try expectEqual(try row.value("born", as: Date.self), born)
      try expectEqual(try row.value("active", as: Bool.self), true)
      try expectEqual(try row.value("badge", as: UUID.self), badge)
      try expectEqual(try row.value("text", as: String.self), "")
      try expectEqual(try row.value("budget", as: Decimal.self), budget)
      try expectEqual(try row.value("number", as: Int.self), 1)
      try expectError(.unknownKey, "another column") { _ = try row.value("age", as: Int.self) }
      try expectError(.invalidValue, "NULL as a number") {
        _ = try row.value("manager", as: Int.self)
      }
      try expectError(.invalidValue, "a number as text") {
        _ = try row.value("salary", as: String.self)
      }
      try expectError(.invalidValue, "a number as a key") { _ = try row.objectID("salary") }
    },
    ConformanceCase(
      .fetching, "sql.inheritance",
      "the records of an entity in a statement are its own and its subentities' (B363)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Order", [.string("name")])
      sketch.add("RushOrder", [.integer("hours")], parent: "Order")
      sketch.add("Item", [.string("name")])
      let stack = try stage.open(sketch.make())
      try stack.context.make("Order", ["name": "plain"])
      try stack.context.make("RushOrder", ["name": "rush", "hours": 2])
      try stack.context.save()
      guard try answersSQL(stack) else { return }
      for (entity, count) in ["Order": 2, "RushOrder": 1, "Item": 0] {
        let rows = try TextRequests(stack.coordinator).rows(
          of: "SELECT count(*) AS n FROM \(table: entity) AS t", in: nil)
        try expectEqual(try require(rows.first).value("n", as: Int.self), count, entity)
      }
      let hours: SQLText =
        "SELECT \(column: "hours", of: "RushOrder") AS h FROM \(table: "RushOrder") AS t"
      let rows = try TextRequests(stack.coordinator).rows(of: hours, in: nil)
      try expectEqual(try require(rows.first).value("h", as: Int.self), 2)
    },
    ConformanceCase(
      .fetching, "sql.refused",
      "a statement that writes, is two, or is none is refused, and nothing of it stays (B366)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      guard try answersSQL(stack) else { return }
      let statements: [SQLText] = [
        "DELETE FROM \(table: "Person")", "SELECT 1; DELETE FROM \(table: "Person")",
        "SELECT 1; SELECT 2",
        "WITH gone AS (SELECT 1) DELETE FROM \(table: "Person")", "COMMIT", "ROLLBACK", "BEGIN",
        "PRAGMA user_version = 7", "SET search_path TO nowhere", "DROP TABLE \(table: "Person")",
        "",
        "SELECT * FROM nowhere", "SELECT nothing FROM \(table: "Person")", "SELECT 'open",
        "SELECT name FROM \(table: "Person") WHERE name LIKE '%\("a")%'", "SELECT 1 -- \(1)",
        "SELECT 1 /* \(table: "Person") */", "SELECT pg_advisory_unlock_all()",
        "SELECT * INTO other FROM \(table: "Person")",
      ]
      for statement in statements {
        try expectError(.invalidRequest, "\(statement.parts)") {
          _ = try TextRequests(stack.coordinator).rows(of: statement, in: nil)
        }
      }
      try expectError(.unknownEntity, "an entity that is not there") {
        _ = try TextRequests(stack.coordinator).rows(
          of: "SELECT * FROM \(table: "Nobody")", in: nil)
      }
      try expectError(.unknownKey, "a relationship without a column") {
        _ = try TextRequests(stack.coordinator).rows(
          of: "SELECT \(column: "people", of: "Department") FROM \(table: "Department")", in: nil)
      }
      try expectEqual(try stack.context.count(for: stack.context.request("Person", nil, [])), 5)
      try stack.context.make("Person", ["name": "Flo"])
      try stack.context.save()
      let rows = try TextRequests(stack.coordinator).rows(
        of: "SELECT count(*) AS n FROM \(table: "Person")", in: nil)
      try expectEqual(try require(rows.first).value("n", as: Int.self), 6)
    },
  ]

  /// Whether the store of a stack answers SQL. One that does not says so.
  private static func answersSQL(_ stack: ConformanceStack) throws -> Bool {
    let store = try require(stack.coordinator.persistentStores.first)
    guard store.sql == nil else { return true }
    try expectError(.persistentStoreUnsupportedRequestType, "a store without SQL") {
      _ = try TextRequests(stack.coordinator).rows(of: "SELECT 1", in: store)
    }
    return false
  }
}
