// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import Testing

@testable import RoostSQL

@Suite("Groups that the driver makes")
struct GroupingTests {
  /// Returns a query for items grouped by year with the sum of their weights, or another aggregate.
  private func query(
    where format: String = "TRUEPREDICATE", by key: String = "year",
    _ function: FetchFunction = .sum, of aggregated: String = "weight",
    in dialect: SQLDialect = .sqlite, change: (inout FetchCriteria) -> Void = { _ in }
  ) throws -> SQLQuery {
    let library = try Library(dialect: dialect)
    let item = try #require(library.model.entitiesByName["Item"])
    let result = ExpressionDescription(name: "result")
    result.expressionResultType = .double
    result.expression = FetchExpression.function(function, [.keyPath([aggregated])])
    let property = try #require(item.attributesByName[key])
    return try library.query("Item", format) {
      $0.resultType = .dictionaryResultType
      $0.propertiesToFetch = [property, result]
      $0.propertiesToGroupBy = [property]
      change(&$0)
    }
  }

  @Test("records are read in the order of their keys, and grouped as they come (B134)")
  func records() throws {
    let found = try query()
    #expect(
      found.text == #"SELECT t0."year", t0."weight" FROM "Item" AS t0 ORDER BY t0."_key""#)
    #expect(found.steps == [found.text, "group and aggregate"])
    guard case .groups(let grouping) = found.shape, grouping.columns.count == 2,
      case .key = grouping.columns[0],
      case .aggregate(.sum, of: .doubles(1)) = grouping.columns[1]
    else {
      Issue.record("The driver groups by the first column and adds up the second one.")
      return
    }
    #expect(grouping.key == .integer)
    #expect(found.remainder == nil && found.inMemory.isEmpty)
  }

  @Test("a condition that no index helps with is judged by the database (B134)")
  func condition() throws {
    let found = try query(where: "weight > 2")
    #expect(
      found.text
        == #"SELECT t0."year", t0."weight" FROM "Item" AS t0 WHERE t0."weight" > ?1"#
        + #" ORDER BY t0."_key""#)
  }

  @Test("what an index has in order, or finds, is grouped by the database (B134)")
  func indexes() throws {
    #expect(try query(.count, of: "title").text.contains("GROUP BY"))
    #expect(try query(where: "year == 3").text.contains("GROUP BY"))
  }

  @Test("groups that are limited, left out or sorted are made by the database (B134)")
  func databaseGroups() throws {
    #expect(try query { $0.fetchLimit = 3 }.text.contains("GROUP BY"))
    #expect(try query { $0.fetchOffset = 3 }.text.contains("GROUP BY"))
    #expect(
      try query { $0.sortDescriptors = [SortOrdering("year")] }.text.contains("GROUP BY"))
    let having = try FetchPredicate("result > 1")
    #expect(try query { $0.havingPredicate = having }.text.contains("GROUP BY"))
  }

  @Test("keys that are no numbers, and other aggregates, are left to the database (B134)")
  func otherGroups() throws {
    #expect(try query(by: "title").text.contains("GROUP BY"))
    #expect(try query(.maximum).text.contains("GROUP BY"))
    #expect(try query(of: "price").text.contains("GROUP BY"))
  }

  @Test("a database that makes groups without sorting makes all of them (B134)")
  func otherDialect() throws {
    #expect(try query(in: .postgreSQL).text.contains("GROUP BY"))
  }
}
