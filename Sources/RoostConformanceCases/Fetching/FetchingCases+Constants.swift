// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

// Columns that are computed from constants, lengths and products, and paths of many steps.
extension FetchingCases {
  /// The values of a computed column, in the order of the names.
  private static func values(
    _ context: ManagedObjectContext, _ format: String, _ type: AttributeType, by key: String? = nil,
    of entity: String = "Person"
  ) throws -> [Any?] {
    let column = ExpressionDescription(
      name: "x", expression: try FetchExpression(format: format, argumentArray: []),
      resultType: type)
    var columns: [any FetchableProperty] = [column]
    if let key { columns.append(key) }
    let result = request(entity, columns)
    if let key { result.propertiesToGroupBy = [key] }
    return try context.fetch(result).map { $0["x"] }
  }

  private static func people(_ stage: ConformanceStage) throws -> ManagedObjectContext {
    let stack = try stage.open(CompanyModel.make())
    let people: [(String, String?)] = [("Ada", "x"), ("Bo", "x"), ("Zoë", nil)]
    for (name, note) in people {
      let person = try stack.context.make("Person", ["name": name, "age": 1])
      if let note { try person.set("note", note) }
    }
    try stack.context.save()
    return stack.makeContext()
  }

  static let constants: [ConformanceCase] = [
    ConformanceCase(
      .fetching, "computed.length", "a column is the length of a text or of bytes (B120, B131)"
    ) { stage in
      let context = try people(stage)
      func whole(_ values: [Any?]) -> [Int] { values.compactMap { $0 as? Int }.sorted() }
      try expectEqual(
        whole(try values(context, "length(name)", .integer64)), [2, 3, 3], "the lengths")
      for (format, wanted) in [
        ("max:(length(name))", 3), ("min:(length(name))", 2), ("sum:(length(name))", 8),
        ("count:(length(note))", 2),
      ] {
        try expectEqual(
          whole(try values(context, format, .integer64)), [wanted], "\(format)")
      }
      try expectEqual(
        whole(try values(context, "sum:(length(name))", .integer64, by: "note")), [3, 5],
        "the sums of groups")
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "a", "binaryData": Data([0, 1, 2])])
      try stack.context.save()
      try expectEqual(
        whole(try values(stack.context, "length(binaryData)", .integer64, of: "Sample")), [3],
        "the length of bytes")
    },
    ConformanceCase(
      .fetching, "computed.count-of-constants",
      "a count of what is the same for each record counts records (B131)"
    ) { stage in
      let context = try people(stage)
      for format in [
        "count:(1)", "count:('a')", "count:(length('abc'))",
        "count:(SUBQUERY(reports, $x, $x.age > 0 AND $x.name != 'b').@count)",
      ] {
        func counts(by key: String?) throws -> [Int] {
          try values(context, format, .integer64, by: key).compactMap { $0 as? Int }.sorted()
        }
        try expectEqual(try counts(by: nil), [3], "\(format)")
        try expectEqual(try counts(by: "note"), [1, 2], "\(format) in groups of texts")
        try expectEqual(try counts(by: "age"), [3], "\(format) in groups of numbers")
      }
    },
    ConformanceCase(
      .fetching, "computed.decimal-product",
      "a product of decimals below the smallest one is 0, and one beyond the largest nil (B120)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      for (name, budget) in [
        ("tiny", "1e-65"), ("negative", "-3e-100"), ("huge", "9e100"),
        ("digits", "0.123456789012345"),
      ] {
        try stack.context.make("Department", ["name": name, "budget": Decimal(string: budget)])
      }
      try stack.context.save()
      let context = stack.makeContext()
      let products: [(String, [String])] = [
        ("budget * budget > 1", []), ("budget * budget == 0", ["negative", "tiny"]),
        ("budget * budget == nil", ["huge"]), ("budget * budget > 0", ["digits"]),
      ]
      for (format, wanted) in products {
        try expectEqual(
          try context.names("Department", format).sorted(), wanted.sorted(), "\(format)")
      }
      try expectEqual(
        try values(context, "budget * budget", .decimal, of: "Department").compactMap {
          ($0 as? NSDecimalNumber)?.decimalValue
        }.filter { $0 != 0 },
        [ValueOracle.decimal("0.015241578753238669120562399025")], "the column of products")
    },
    ConformanceCase(
      .fetching, "aggregate.exact-decimals", "a sum of decimals is rounded once, at its end (B131)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let large = String(repeating: "9", count: 38)
      for (name, budgets) in [
        ("cancelled", [large, "0.5", "-" + large]), ("rounded", [large, "0.4", "0.4"]),
        ("small", ["1e100", "1e-100", "-1e100"]),
      ] {
        for budget in budgets {
          try stack.context.make("Department", ["name": name, "budget": Decimal(string: budget)])
        }
      }
      try stack.context.save()
      let context = stack.makeContext()
      for (format, wanted) in [
        ("sum:(budget)", ["1e-100", "0.5", "1e38"]),
        ("sum:(budget + 0)", ["1e-100", "0.5", "1e38"]),
      ] {
        let sums = try values(context, format, .decimal, by: "name", of: "Department")
          .compactMap { ($0 as? NSDecimalNumber)?.decimalValue }
        try expectEqual(sums.sorted(), wanted.compactMap { Decimal(string: $0) }, "\(format)")
      }
      let averages = try values(context, "average:(budget)", .double, by: "name", of: "Department")
        .compactMap { $0 as? Double }.sorted()
      try expectEqual(averages, [1e-100 / 3, 0.5 / 3, 1e38 / 3], "the averages")
    },
    ConformanceCase(
      .fetching, "path.long", "a path of a hundred steps is followed in each store (B120, B124)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let loop = try stack.context.make("Person", ["name": "loop", "age": 7])
      try loop.set("manager", loop)
      let one = try stack.context.make("Person", ["name": "one", "age": 1])
      try one.set("manager", loop)
      try stack.context.make("Person", ["name": "none", "age": 2])
      try stack.context.save()
      let context = stack.makeContext()
      let path = String(repeating: "manager.", count: 100) + "age"
      try expectEqual(try context.names("Person", path + " == 7"), ["loop", "one"], "a condition")
      try expectEqual(
        try context.names("Person", "ANY reports." + path + " == 7"), ["loop"],
        "a condition on many")
      let sorted = FetchRequest<ManagedObject>(entityName: "Person")
      sorted.sortDescriptors = [SortOrdering(path), SortOrdering("name", ascending: false)]
      try expectEqual(
        try context.fetch(sorted).map { try $0.text("name") }, ["none", "one", "loop"], "an order")
      try expectEqual(
        try values(context, path, .integer64).compactMap { $0 as? Int }, [7, 7], "a column")
    },
  ]
}
