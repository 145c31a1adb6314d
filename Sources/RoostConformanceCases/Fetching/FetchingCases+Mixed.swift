// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Columns and conditions of groups that speak of single rows and of all of them at once.
extension FetchingCases {
  private static func column(_ format: String) throws -> ExpressionDescription {
    ExpressionDescription(
      name: "x", expression: try FetchExpression(format: format, argumentArray: []),
      resultType: .integer64)
  }

  private static func request(_ columns: [any FetchableProperty]) -> FetchRequest<[String: Any]> {
    let request = FetchRequest<[String: Any]>(entityName: "Person")
    request.propertiesToFetch = columns
    return request
  }

  private static let mixtures = [
    "age + max:(age)", "max:(age) - age", "TERNARY(age > 5, max:(age), 0)",
    "TERNARY(max:(age) > 5, age, 0)",
  ]

  static let mixed: [ConformanceCase] = [
    company(
      "aggregate.beside-attribute",
      "a column that needs one row and all rows is refused, whatever there is (B134)"
    ) { context in
      for format in mixtures {
        let asked = request([try column(format)])
        try expectError(.invalidRequest, "\(format) of all") { _ = try context.fetch(asked) }
        asked.predicate = try FetchPredicate("name == 'Nobody'")
        try expectError(.invalidRequest, "\(format) of nothing") { _ = try context.fetch(asked) }
      }
    },
    ConformanceCase(
      .fetching, "aggregate.beside-attribute-empty",
      "a column that needs one row and all rows is refused on an empty store too (B134)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      for format in mixtures {
        try expectError(.invalidRequest, format) {
          _ = try stack.context.fetch(request([try column(format)]))
        }
      }
    },
    company(
      "aggregate.beside-grouped", "a column may mix aggregates with what is grouped (B134)"
    ) { context in
      let asked = request(["age", try column("age + max:(age)")])
      asked.propertiesToGroupBy = ["age"]
      asked.predicate = try FetchPredicate("age != nil")
      asked.sortDescriptors = [SortOrdering("age")]
      let found = try context.fetch(asked)
      try expectEqual(found.map { whole($0["x"]) }, [50, 72, 80], "the columns")
      asked.predicate = try FetchPredicate("name == 'Nobody'")
      try expectEqual(try context.fetch(asked).count, 0, "the groups of nothing")
    },
    company(
      "group.having-stray",
      "a condition on groups that names what is neither grouped nor aggregated is refused (B134)"
    ) { context in
      for format in ["age > 5", "max:(age) > 5 AND age < 90", "age == max:(age)"] {
        let asked = request(["name"])
        asked.propertiesToGroupBy = ["name"]
        asked.havingPredicate = try FetchPredicate(format)
        try expectError(.invalidRequest, format) { _ = try context.fetch(asked) }
      }
    },
    company(
      "group.having-grouped", "a condition on groups may name what is grouped (B134)"
    ) { context in
      let asked = request(["name"])
      asked.propertiesToGroupBy = ["name"]
      asked.havingPredicate = try FetchPredicate("name > 'C' AND max:(age) > 30")
      try expectEqual(try context.fetch(asked).map { $0["name"] as? String }, ["Dan"], "the groups")
    },
  ]
}
