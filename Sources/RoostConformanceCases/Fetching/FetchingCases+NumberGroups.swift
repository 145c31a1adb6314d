// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Groups that are made by a number, without an order: stores have a fast way for these.
extension FetchingCases {
  /// A case on samples that are saved one after the other.
  private static func samples(
    _ name: String, _ title: String, _ samples: [[String: Any]],
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    // Sendable: numbers and texts, made for this case.
    nonisolated(unsafe) let samples = samples
    return ConformanceCase(.fetching, name, title) { stage in
      let stack = try stage.open(SampleModel.make())
      for values in samples {
        let sample = try stack.context.make("Sample", [:])
        for (key, value) in values { try sample.set(key, value) }
        try stack.context.save()
      }
      try stack.readAnew()
      try body(stack.context)
    }
  }

  static let groupsOfNumbers: [ConformanceCase] = [
    samples(
      "group.first-record", "a group stands where its first record does, nil is one (B134)",
      [
        ["integer32": 5, "double": 1.0, "string": "a"], ["double": 2.0, "string": "b"],
        ["integer32": 0, "double": -0.5], ["integer32": 5, "string": "c"], ["double": 4.0],
        ["integer32": -3], ["integer32": 0, "double": 0.5],
      ]
    ) { context in
      let all = ExpressionDescription(
        name: "all", expression: FetchExpression.function(.count, [.evaluatedObject]),
        resultType: .integer64)
      let asked = request(
        "Sample",
        [
          "integer32", column("sum", .sum, "double", .double),
          column("mean", .average, "double", .double), column("n", .count, "string", .integer64),
          all,
        ])
      asked.propertiesToGroupBy = ["integer32"]
      let found = try context.fetch(asked)
      try expectEqual(found.map { whole($0["integer32"]) }, [5, nil, 0, -3], "the groups")
      try expectEqual(found.map { double($0["sum"]) }, [1, 6, 0, 0], "the sums")
      try expectEqual(found.map { double($0["mean"]) }, [1, 3, 0, nil], "the averages")
      try expectEqual(found.map { whole($0["n"]) }, [2, 1, 0, 0], "what is not nil")
      try expectEqual(found.map { whole($0["all"]) }, [2, 2, 2, 1], "the records")
    },
    samples(
      "group.condition", "only the records of the condition make groups (B134)",
      [
        ["boolean": true, "integer64": 1], ["boolean": false, "integer64": 2],
        ["boolean": false, "integer64": 4], ["integer64": 8], ["boolean": true, "integer64": 16],
      ]
    ) { context in
      let asked = request("Sample", [column("sum", .sum, "integer64", .integer64), "boolean"])
      asked.propertiesToGroupBy = ["boolean"]
      asked.predicate = try FetchPredicate("integer64 > 1")
      let found = try context.fetch(asked)
      try expectEqual(found.map { $0["boolean"] as? Bool }, [false, nil, true], "the groups")
      try expectEqual(found.map { whole($0["sum"]) }, [6, 8, 16], "the sums")
    },
    samples(
      "group.overflow", "a sum of a group that leaves 64 bits throws (value contract: Int64)",
      [
        ["integer16": 1, "integer64": Int64.max], ["integer16": 2, "integer64": 1],
        ["integer16": 1, "integer64": 1],
      ]
    ) { context in
      let asked = request("Sample", ["integer16", column("x", .sum, "integer64", .integer64)])
      asked.propertiesToGroupBy = ["integer16"]
      try expectError(.arithmeticOverflow, "the sum") { _ = try context.fetch(asked) }
      asked.predicate = try FetchPredicate("integer64 < 2")
      try expectEqual(try context.fetch(asked).map { whole($0["x"]) }, [1, 1], "smaller sums")
    },
    company("group.relationship", "rows are grouped by the object they lead to (B134)") {
      let asked = request(
        "Person", ["department", column("mean", .average, "age", .double)])
      asked.propertiesToGroupBy = ["department"]
      let found = try $0.fetch(asked)
      let wanted = try $0.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
      var departments: [ObjectID?] = []
      for person in wanted {
        let department = try person.one("department")?.objectID
        if !departments.contains(department) { departments.append(department) }
      }
      try expectEqual(found.map { $0["department"] as? ObjectID }, departments, "the groups")
      try expect(
        found.allSatisfy { $0["mean"] is Double }, "each has the average of its people's ages")
    },
  ]
}
