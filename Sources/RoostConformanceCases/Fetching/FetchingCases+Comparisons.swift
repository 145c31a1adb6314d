// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  /// Each operator on each type, with each of the type's values and nil on the right.
  static let comparisons: [ConformanceCase] = SampleModel.types.flatMap { type in
    let key = type.description
    var cases = operators(of: type).map { comparison(key, $0.name, $0.sign) }
    cases += [membership(key, false), membership(key, true)]
    if isOrdered(type) { cases.append(range(key)) }
    return cases
  }

  private static func isOrdered(_ type: AttributeType) -> Bool {
    ![.boolean, .binaryData, .uri, .uuid].contains(type)
  }

  private static func operators(of type: AttributeType) -> [(name: String, sign: String)] {
    let equality = [("equal", "=="), ("not-equal", "!=")]
    guard isOrdered(type) else { return equality }
    return equality + [
      ("less", "<"), ("less-or-equal", "<="), ("greater", ">"), ("greater-or-equal", ">="),
    ]
  }

  /// A few values of each type, in no order, one of them twice.
  static func probes(_ key: String) -> [Value] {
    switch key {
    case "integer16", "integer32", "integer64": [5, -3, 0, 100, -100, 5].map { .integer($0) }
    case "decimal":
      ["5", "-3.5", "0", "1.1", "12345678901234567890123456789012345678", "5.00"]
        .compactMap { Decimal(string: $0) }.map { .decimal($0) }
    case "double": [5, -3.5, 0, .infinity, -.infinity, 1e-300, 5].map { .double($0) }
    case "float": [5, -3.5, 0, 0.25, 5].map { .double($0) }
    case "string":
      ["b", "", "a", "B", "\u{E9}", "e\u{301}", "\u{FF5E}", "\u{1F600}", "ab", "b"]
        .map { .string($0) }
    case "boolean": [true, false, true].map { .boolean($0) }
    case "date":
      [5, -3.5, 0, 1e-7, 5].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case "uuid":
      ["80000000-0000-0000-0000-000000000000", "3F2504E0-4F89-41D3-9A0C-0305E82C3301"]
        .compactMap(UUID.init(uuidString:)).map { .uuid($0) }
    case "uri":
      ["https://a.example/", "https://b.example/", "https://a.example/"]
        .compactMap(URL.init(string:)).map { .uri($0) }
    default: [Data([1, 2]), Data(), Data([1])].map { .data($0) }
    }
  }

  /// Stores each probe and nil in an object of its own, named by its number.
  static func fill(_ stack: ConformanceStack, _ key: String) throws -> [(String, Value)] {
    var result: [(String, Value)] = []
    for (index, value) in (probes(key) + [.null]).enumerated() {
      let name = String(UnicodeScalar(UInt8(97 + index)))
      try stack.context.make("Sample", ["name": name, key: value.native])
      result.append((name, value))
    }
    try stack.context.save()
    try stack.readAnew()
    return result
  }

  private static func comparison(
    _ key: String, _ name: String, _ sign: String
  ) -> ConformanceCase {
    ConformanceCase(
      .fetching, "\(key).\(name)", "\(sign) compares \(key)s and nil (B120, B142)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let samples = try fill(stack, key)
      for (_, constant) in samples {
        let wanted = samples.filter { ValueOracle.holds($0.1, sign, constant) }.map(\.0)
        let found = try stack.context.names(
          "Sample", "\(key) \(sign) %@", constant.native)
        try expectEqual(found, wanted, "\(key) \(sign) \(ExactValue(constant))")
        let rest = try stack.context.names(
          "Sample", "NOT (\(key) \(sign) %@)", constant.native)
        try expectEqual(
          rest, samples.map(\.0).filter { !wanted.contains($0) },
          "NOT \(key) \(sign) \(ExactValue(constant))")
      }
    }
  }

  private static func membership(_ key: String, _ isNegated: Bool) -> ConformanceCase {
    ConformanceCase(
      .fetching, "\(key).\(isNegated ? "not-in" : "in")",
      "\(isNegated ? "NOT IN" : "IN") looks a \(key) up in a list (B120, B142)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let samples = try fill(stack, key)
      let constants = probes(key)
      let lists = [[], Array(constants.prefix(1)), Array(constants.suffix(2)), constants]
      for list in lists {
        let members = samples.filter { sample in
          list.contains { ValueOracle.holds(sample.1, "==", $0) }
        }.map(\.0)
        let wanted = samples.map(\.0).filter { members.contains($0) != isNegated }
        let format = isNegated ? "NOT (\(key) IN %@)" : "\(key) IN %@"
        let found = try stack.context.names("Sample", format, list.map { $0.native })
        try expectEqual(found, wanted, "\(format) of \(list.count) values")
      }
    }
  }

  private static func range(_ key: String) -> ConformanceCase {
    ConformanceCase(
      .fetching, "\(key).between", "BETWEEN includes both ends and no nil (B120, B142)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let samples = try fill(stack, key)
      let sorted = probes(key).sorted { ValueOracle.compare($0, $1) < 0 }
      for (low, high) in [(0, 1), (1, sorted.count - 1), (0, sorted.count - 1), (2, 1)] {
        let wanted = samples.filter { sample in
          ValueOracle.holds(sample.1, ">=", sorted[low])
            && ValueOracle.holds(sample.1, "<=", sorted[high])
        }.map(\.0)
        let bounds = [sorted[low].native, sorted[high].native]
        let found = try stack.context.names("Sample", "\(key) BETWEEN %@", bounds)
        try expectEqual(
          found, wanted,
          "\(key) BETWEEN \(ExactValue(sorted[low])) and \(ExactValue(sorted[high]))")
      }
    }
  }
}
