// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

// Changes that version hashes do not tell: the stores' shapes do.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  private static func place(_ name: String, from old: String? = nil) -> PropertyDescription {
    let composite = CompositeAttributeDescription(
      name: name,
      elements: [
        AttributeDescription.of("city", .string), AttributeDescription.of("zip", .integer64),
      ])
    composite.renamingIdentifier = old
    return composite
  }

  static let unhashed: [ConformanceCase] = [
    .evolution(
      "rename-composite", "a renamed composite attribute keeps its values (M2, M8)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0["Person"].declaredProperties.append(place("address"))
        },
        new: {
          $0.add("Person", [.string("name")])
          $0["Person"].declaredProperties.append(place("home", from: "address"))
        },
        fill: { context in
          for index in 0..<5 {
            let person = try context.make("Person", ["name": "p\(index)"])
            try person.set("address.city", "c\(index)")
            try person.set("address.zip", index)
          }
        },
        expectation: { context in
          for index in 0..<5 {
            try expectEqual(try context.names("Person", "home.city == 'c\(index)'"), ["p\(index)"])
            try expectEqual(try context.names("Person", "home.zip == \(index)"), ["p\(index)"])
          }
        })),
    .evolution(
      "rename-derived", "a renamed derived attribute has its values (M2, M8, M14)",
      EvolutionPair(
        old: {
          $0.add(
            "Person", [.string("name"), .derived("folded", .string, "canonical:(name)")])
        },
        new: {
          $0.add("Person", [.string("name"), .derived("plain", .string, "canonical:(name)")])
        },
        fill: { context in
          for index in 0..<5 { _ = try context.make("Person", ["name": "p\(index)"]) }
        },
        expectation: { context in
          try expectEqual(try context.names("Person", "plain == 'p3'"), ["p3"])
          for person in try context.all("Person") {
            try expectEqual(try person.text("plain"), try person.text("name"))
          }
        })),
    .evolution(
      "derived-type", "a derived attribute of another type is computed anew (M2, M14)",
      EvolutionPair(
        old: {
          $0.add(
            "Item", [.string("name"), .integer("size"), .derived("twice", .integer64, "size")])
        },
        new: {
          $0.add("Item", [.string("name"), .integer("size"), .derived("twice", .double, "size")])
        },
        fill: { context in
          for index in 0..<5 { _ = try context.make("Item", ["name": "i\(index)", "size": index]) }
        },
        expectation: { context in
          for index in 0..<5 {
            try expectEqual(try context.names("Item", "twice == \(index)"), ["i\(index)"])
          }
        })),
    .evolution(
      "own-inverse", "a relationship to many that becomes its own inverse leads back (M2, M11)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0.relate(End("Person", "friends", .many), to: "Person")
        },
        new: {
          $0.add("Person", [.string("name")])
          $0.relateToItself(End("Person", "friends", .many))
        },
        fill: { context in
          let people = try (0..<4).map { try context.make("Person", ["name": "p\($0)"]) }
          try people[0].add(people[1], people[2], to: "friends")
          try people[1].add(people[0], to: "friends")
        },
        expectation: { context in
          try expectEqual(try context.named("Person", "p0").names("friends"), ["p1", "p2"])
          try expectEqual(try context.named("Person", "p1").names("friends"), ["p0"])
          try expectEqual(try context.named("Person", "p2").names("friends"), ["p0"])
          try expectEqual(try context.named("Person", "p3").names("friends"), [])
        })),
    .evolution(
      "own-inverse-one", "a relationship to one that becomes its own inverse leads back (M2, M11)",
      spouses { people in
        try people[0].set("spouse", people[1])
        try people[2].set("spouse", people[3])
        try people[3].set("spouse", people[2])
      } expect: { context in
        for (one, other) in [("p0", "p1"), ("p1", "p0"), ("p2", "p3"), ("p3", "p2")] {
          try expectEqual(
            try context.named("Person", one).one("spouse")?.text("name"), other, "of \(one)")
        }
      }),
    .refusedEvolution(
      "own-inverse-claims", "an inverse of its own is refused where records contradict (M2, M11)",
      .migration,
      spouses { people in
        try people[0].set("spouse", people[1])
        try people[1].set("spouse", people[2])
      } expect: { _ in
      }),
  ]

  private static func spouses(
    _ link: @escaping @Sendable ([ManagedObject]) throws -> Void,
    expect: @escaping EvolutionPair.Step
  ) -> EvolutionPair {
    EvolutionPair(
      old: {
        $0.add("Person", [.string("name")])
        $0.relate(End("Person", "spouse", .one), to: "Person")
      },
      new: {
        $0.add("Person", [.string("name")])
        $0.relateToItself(End("Person", "spouse", .one))
      },
      fill: { context in try link((0..<4).map { try context.make("Person", ["name": "p\($0)"]) }) },
      expectation: expect)
  }
}
