// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  /// A column that aggregates.
  static func column(
    _ name: String, _ function: FetchFunction, _ key: String, _ type: AttributeType
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name,
      expression: FetchExpression.function(
        function, [.keyPath(key.split(separator: ".").map(String.init))]),
      resultType: type)
  }

  static func request(
    _ entity: String, _ columns: [any FetchableProperty]
  ) -> FetchRequest<[String: Any]> {
    let request = FetchRequest<[String: Any]>(entityName: entity)
    request.propertiesToFetch = columns
    return request
  }

  static let groups: [ConformanceCase] = aggregates + doubles + grouped + groupsOfNumbers

  private static let aggregates: [ConformanceCase] = [
    company("aggregate.column-sum", "a column adds up what is not nil (B131)") {
      let found = try $0.fetch(request("Person", [column("x", .sum, "age", .integer64)]))
      try expectEqual(found.map { whole($0["x"]) }, [126], "the sum of the ages")
    },
    company("aggregate.column-type", "a column gives its numbers as its result type (B131)") {
      let found = try $0.fetch(
        request(
          "Person",
          [
            column("whole", .average, "age", .integer32),
            column("count", .count, "age", .double),
          ]))
      try expectEqual(found.map { $0["whole"] as? Int }, [31], "the average, cut off")
      try expectEqual(found.map { $0["count"] as? Double }, [4], "the number as a double")
    },
    company("aggregate.column-average", "a column averages what is not nil (B131)") {
      let found = try $0.fetch(request("Person", [column("x", .average, "age", .double)]))
      try expectEqual(found.map { double($0["x"]) }, [31.5], "the average age")
    },
    company("aggregate.column-minimum", "a column has the smallest that is not nil (B131)") {
      let found = try $0.fetch(request("Person", [column("x", .minimum, "age", .integer64)]))
      try expectEqual(found.map { whole($0["x"]) }, [25], "the smallest age")
    },
    company("aggregate.column-maximum", "a column has the largest (B131)") {
      let found = try $0.fetch(request("Person", [column("x", .maximum, "name", .string)]))
      try expectEqual(found.map { $0["x"] as? String }, ["Eve"], "the last name")
    },
    company("aggregate.column-count", "a column counts what is not nil (B131)") {
      let found = try $0.fetch(request("Person", [column("x", .count, "age", .integer64)]))
      try expectEqual(found.map { whole($0["x"]) }, [4], "the number of ages")
    },
    company("aggregate.several-columns", "several aggregates come in one dictionary (B131)") {
      let found = try $0.fetch(
        request(
          "Person",
          [column("low", .minimum, "salary", .double), column("high", .maximum, "salary", .double)])
      )
      try expectEqual(found.count, 1, "the number of dictionaries")
      try expectEqual(double(found[0]["low"]), 50, "the smallest salary")
      try expectEqual(double(found[0]["high"]), 100, "the largest salary")
    },
    company("aggregate.with-condition", "aggregates respect the condition (B131)") {
      let asked = request("Person", [column("x", .sum, "age", .integer64)])
      asked.predicate = try FetchPredicate("department.name == 'Research'")
      try expectEqual(try $0.fetch(asked).map { whole($0["x"]) }, [61], "the sum of the ages")
    },
    company("aggregate.of-nothing", "aggregates of nothing are nil, a count is 0 (B131)") {
      let asked = request(
        "Person",
        [column("sum", .maximum, "age", .integer64), column("n", .count, "age", .integer64)])
      asked.predicate = .constant(false)
      let found = try $0.fetch(asked)
      try expectEqual(found.count, 1, "the number of dictionaries")
      try expect(found[0]["sum"] == nil, "the largest of nothing is nil")
      try expectEqual(whole(found[0]["n"]), 0, "the count of nothing")
    },
    ConformanceCase(
      .fetching, "aggregate.overflow",
      "a sum that leaves 64 bits throws (value contract: Int64 extremes)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for _ in 0..<2 { try stack.context.make("Sample", ["integer64": Int64.max]) }
      try stack.context.save()
      try stack.readAnew()
      let asked = request("Sample", [column("x", .sum, "integer64", .integer64)])
      try expectError(.arithmeticOverflow, "the sum") { _ = try stack.context.fetch(asked) }
    },
    ConformanceCase(
      .fetching, "aggregate.decimals",
      "a sum of decimals is exact (value contract: Decimal 38 digits)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for text in ["0.1", "0.2", "1000000000000000000000000"] {
        try stack.context.make("Sample", ["decimal": ValueOracle.decimal(text)])
      }
      try stack.context.save()
      try stack.readAnew()
      let found = try stack.context.fetch(
        request("Sample", [column("x", .sum, "decimal", .decimal)]))
      let wanted = ValueOracle.decimal("1000000000000000000000000.3")
      try expect(ValueOracle.equals(found.first?["x"], wanted), "the sum is exact")
    },
  ]

  /// The sum and the average of doubles that are written one after the other.
  private static func doubles(
    _ name: String, _ title: String, _ values: [Double], sum: Double, average: Double
  ) -> ConformanceCase {
    ConformanceCase(.fetching, name, title) { stage in
      let stack = try stage.open(SampleModel.make())
      for value in values {
        try stack.context.make("Sample", ["double": value])
        try stack.context.save()
      }
      try stack.readAnew()
      let found = try stack.context.fetch(
        request(
          "Sample",
          [column("sum", .sum, "double", .double), column("mean", .average, "double", .double)]))
      try expectEqual(found.map { double($0["sum"]) }, [sum], "the sum")
      try expectEqual(found.map { double($0["mean"]) }, [average], "the average")
    }
  }

  private static let doubles: [ConformanceCase] = [
    doubles(
      "aggregate.doubles-rounded",
      "doubles are added one after the other, each sum rounded (value contract: Double)",
      [1e16, 1, -1e16, 0.5], sum: 0.5, average: 0.125),
    doubles(
      "aggregate.doubles-large",
      "doubles whose squares are out of range have an average (value contract: Double)",
      [1e200, 2e200], sum: 3e200, average: 1.5e200),
    doubles(
      "aggregate.doubles-infinite",
      "a sum of doubles beyond the largest one is infinite (value contract: Double)",
      [1.7e308, 1.7e308], sum: .infinity, average: .infinity),
  ]

  private static let grouped: [ConformanceCase] = [
    company("group.by-attribute", "rows are grouped by an attribute, nil is a group (B134)") {
      let asked = request("Person", ["age", column("n", .count, "name", .integer64)])
      asked.propertiesToGroupBy = ["age"]
      asked.sortDescriptors = [SortOrdering("age")]
      let found = try $0.fetch(asked)
      try expectEqual(found.map { whole($0["age"]) }, [nil, 25, 36, 40], "the groups")
      try expectEqual(found.map { whole($0["n"]) }, [1, 2, 1, 1], "their sizes")
    },
    company("group.by-path", "rows are grouped by a key path (B134)") {
      let asked = request(
        "Person", ["department.name", column("sum", .sum, "age", .integer64)])
      asked.propertiesToGroupBy = ["department.name"]
      asked.sortDescriptors = [SortOrdering("department.name")]
      let found = try $0.fetch(asked)
      try expectEqual(
        found.map { $0["department.name"] as? String }, [nil, "Research", "Sales"], "the groups")
      try expectEqual(found.map { whole($0["sum"]) }, [25, 61, 40], "the sums")
    },
    company("group.having", "a condition on groups leaves out groups (B134)") {
      let asked = request("Person", ["age", column("n", .count, "name", .integer64)])
      asked.propertiesToGroupBy = ["age"]
      asked.havingPredicate = try FetchPredicate("n > 1")
      try expectEqual(try $0.fetch(asked).map { whole($0["age"]) }, [25], "the groups")
    },
    company("group.having-needs-groups", "a condition on groups needs groups (B134)") { context in
      let asked = request("Person", ["age"])
      asked.havingPredicate = try FetchPredicate("age > 1")
      try expectError(.invalidRequest) { _ = try context.fetch(asked) }
    },
    company(
      "group.stray-column", "a column that is neither grouped nor aggregated is refused (B134)"
    ) {
      context in
      let asked = request("Person", ["age", "name"])
      asked.propertiesToGroupBy = ["age"]
      try expectError(.invalidRequest) { _ = try context.fetch(asked) }
    },
  ]
}
