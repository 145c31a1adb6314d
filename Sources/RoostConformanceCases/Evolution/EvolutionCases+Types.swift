// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

// Each change of a type that the policy can allow, and those that it cannot.
extension EvolutionCases {
  static let eachType: [ConformanceCase] = [
    .evolution(
      "wider-16-32", "a 16-bit integer becomes one of 32 bits where the policy allows it (M10)",
      numbers(.integer16, .integer32, integers(within: 16), integers(within: 16))),
    .evolution(
      "wider-16-64", "a 16-bit integer becomes one of 64 bits where the policy allows it (M10)",
      numbers(.integer16, .integer64, integers(within: 16), integers(within: 16))),
    .evolution(
      "integer16-to-double", "a 16-bit integer becomes a double where the policy allows it (M10)",
      numbers(
        .integer16, .double, integers(within: 16),
        { integers(within: 16)($0).asDouble })),
    .evolution(
      "float-to-double", "a float becomes the same double where the policy allows it (M10)",
      numbers(.float, .double, floats, floats)),
    .evolution(
      "string-to-uri-all", "texts that are URIs become URIs where the policy allows it (M10)",
      texts(from: .string, to: .uri)),
    .refusedEvolution(
      "wider-unless-allowed",
      "a wider integer is not inferred unless the policy allows it, and the error says so (M10)",
      .inferredMappingModel, naming: ["count", "allowsLosslessTypeChanges"],
      numbers(.integer16, .integer32, integers(within: 16), integers(within: 16)).with { _ in }),
    .refusedEvolution(
      "double-to-float", "a double does not become a float, whatever the policy (M10)",
      .inferredMappingModel, naming: ["count"],
      numbers(.double, .float, floats, floats)),
    .refusedEvolution(
      "double-to-integer", "a double does not become an integer, whatever the policy (M10)",
      .inferredMappingModel, naming: ["count"],
      numbers(.double, .integer64, floats, floats)),
    .refusedEvolution(
      "integer64-to-double",
      "a 64-bit integer does not become a double, which cannot hold all of them (M10)",
      .inferredMappingModel, naming: ["count"],
      numbers(.integer64, .double, integers(within: 64), integers(within: 64))),
    .refusedEvolution(
      "date-to-double", "a date does not become a number, whatever the policy (M10)",
      .inferredMappingModel, naming: ["when"],
      lossless(from: { _ in }, to: { $0.attribute("when").type = .double })),
    ConformanceCase(
      .evolution, "string-to-uri-objects",
      "texts that are no URIs are refused with the IDs of their records (M10)",
      needs: [.reopening, .evolution]
    ) { stage in
      var pair = texts(from: .string, to: .uri)
      let fill = pair.fill
      pair.fill = { context in
        try fill(context)
        // `URL` would accept the second one, with other characters.
        for link in ["http://[", "no uri", "http://example.org/a b"] {
          try context.make("Part", ["name": "x", "link": link])
        }
      }
      let error = try pair.expectRefusal(.migration, stage)
      try expectEqual(error.objectIDs.count, 3, "the records: \(error)")
    },
  ]

  /// Numbers at the ends of the range and about zero, and nil.
  private static func integers(within bits: Int) -> @Sendable (Int) -> Value {
    let largest = Int64.max >> Int64(64 - bits)
    let values: [Int64?] = [0, 1, -1, nil, largest, -largest - 1, largest - 1, 7, -128, 255]
    return { values[$0 % values.count].map { .integer($0) } ?? .null }
  }

  private static let floats: @Sendable (Int) -> Value = {
    let values: [Float?] = [
      0, 0.1, nil, -2.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1.0 / 3, .infinity,
      -.infinity, 16_777_216,
    ]
    return values[$0 % values.count].map { .double(Double($0)) } ?? .null
  }

  /// The type of a number changes.
  private static func numbers(
    _ old: AttributeType, _ new: AttributeType, _ before: @escaping @Sendable (Int) -> Value,
    _ after: @escaping @Sendable (Int) -> Value
  ) -> EvolutionPair {
    part("count", old, new, before, after)
  }

  private static func texts(from old: AttributeType, to new: AttributeType) -> EvolutionPair {
    part(
      "link", old, new,
      { $0 % 4 == 3 ? .null : .string("https://example.org/\($0)?q=%20#\($0 % 7)") },
      { index in
        guard index % 4 != 3 else { return .null }
        return URL(string: "https://example.org/\(index)?q=%20#\(index % 7)").map { .uri($0) }
          ?? .null
      })
  }

  /// The type of an attribute changes where the policy allows it.
  private static func part(
    _ name: String, _ old: AttributeType, _ new: AttributeType,
    _ before: @escaping @Sendable (Int) -> Value, _ after: @escaping @Sendable (Int) -> Value
  ) -> EvolutionPair {
    var pair = EvolutionPair(
      old: { $0.add("Part", [.string("name"), .of(name, old)]) },
      new: { $0.add("Part", [.string("name"), .of(name, new)]) },
      fill: { context in
        for index in 0..<EvolutionThings.count {
          let part = try context.make("Part", ["name": EvolutionThings.name(index)])
          try part.set(name, before(index))
        }
      },
      expectation: { context in
        let parts = try context.all("Part")
        try expectEqual(parts.count, EvolutionThings.count, "the parts")
        for (index, part) in parts.enumerated() {
          try expectEqual(
            ExactValue(try part.get(name)), ExactValue(after(index)), "\(name) of \(index)")
        }
      })
    pair.policy = { $0.evolution = .automatic.allowLosslessTypeChanges(true) }
    return pair
  }
}

extension Value {
  /// The double that equals an integer.
  fileprivate var asDouble: Value {
    if case .integer(let number) = self { .double(Double(number)) } else { self }
  }
}
