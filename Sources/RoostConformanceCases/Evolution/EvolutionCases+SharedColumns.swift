// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects

// Properties that are split or merged again: a store may keep several of them in one column.
extension EvolutionCases {
  static let sharedColumns: [ConformanceCase] = [
    versions(
      "shared-up",
      "an attribute that moves up from one entity takes nothing of its sibling's (M8, M12)",
      [
        { items(&$0, [.string("x")]) },
        { items(&$0, a: [known("ax", "x")], b: [.string("x")]) },
        { items(&$0, [.string("ax")], b: [.string("x")]) },
      ],
      fill: { try fillItems($0, ["x"]) },
      expectation: { context in
        try expectTexts(context, "A", "ax", "ax")
        try expectTexts(context, "B", "x", "bx")
        try expectTexts(context, "B", "ax", nil)
      }),
    versions(
      "shared-names",
      "an attribute of a subentity that takes over the inherited values leaves those of others (M8)",
      [
        {
          $0.add("Person", [.string("name"), .string("label")])
          $0.add("Employee", [], parent: "Person")
        },
        {
          $0.add("Person", [.string("name"), known("label", "label2")])
          $0.add("Employee", [known("title", "label")], parent: "Person")
        },
      ],
      fill: { context in
        for index in 0..<3 {
          try context.make("Person", ["name": "p\(index)", "label": "lp\(index)"])
          try context.make("Employee", ["name": "e\(index)", "label": "le\(index)"])
        }
      },
      expectation: { context in
        for index in 0..<3 {
          try expectEqual(
            try context.named("Person", "p\(index)").text("label"), "lp\(index)")
          let employee = try context.named("Employee", "e\(index)")
          try expectEqual(try employee.text("title"), "le\(index)")
          try expectEqual(try employee.text("label"), nil)
        }
      }),
    versions(
      "shared-references",
      "a relationship that moves up from one entity takes nothing of its sibling's (M11, M12)",
      [
        { related(&$0, [.init("Item", "r", .one)]) },
        {
          related(&$0, [.init("A", "ar", .one), .init("B", "r", .one)])
          $0["A"].declaredProperties.last?.renamingIdentifier = "r"
        },
        { related(&$0, [.init("Item", "ar", .one), .init("B", "r", .one)]) },
      ],
      fill: { try fillRelated($0) },
      expectation: { context in
        try expectTags(context, "A", "ar", "ta")
        try expectTags(context, "B", "r", "tb")
        for item in try context.all("B") { try expect(try item.one("ar") == nil, "none") }
      }),
    versions(
      "shared-default",
      "where an attribute moves up to entities that lose another, they have its default (M9, M12)",
      [
        { items(&$0, [.string("x")]) },
        { items(&$0, a: [known("ax", "x")], b: [.string("x")]) },
        { items(&$0, [.of("ax", .string, optional: false, default: .string("d"))]) },
      ],
      fill: { try fillItems($0, ["x"]) },
      expectation: { context in
        try expectTexts(context, "A", "ax", "ax")
        for item in try context.all("B") { try expectEqual(try item.text("ax"), "d") }
      }),
    versions(
      "shared-to-many",
      "a relationship becomes to-many while its sibling's moves up, and no link is lost (M11, M12)",
      [
        { related(&$0, [.init("Item", "r", .one)]) },
        {
          related(&$0, [.init("A", "ar", .one), .init("B", "r", .one)])
          $0["A"].declaredProperties.last?.renamingIdentifier = "r"
        },
        { related(&$0, [.init("Item", "ar", .one), .init("B", "r", .many)]) },
      ],
      fill: { try fillRelated($0) },
      expectation: { context in
        try expectTags(context, "A", "ar", "ta")
        for item in try context.all("B") {
          try expect(try item.one("ar") == nil, "none")
          try expectEqual(try item.names("r"), ["t" + (try item.text("name") ?? "")])
        }
      }),
    versions(
      "shared-crosswise", "attributes that move up crosswise keep their own values (M8, M12)",
      [
        { items(&$0, [.string("x"), .string("y")]) },
        {
          items(
            &$0, a: [known("u", "x"), known("v", "y")], b: [known("v", "x"), known("u", "y")])
        },
        { items(&$0, [.string("u"), .string("v")]) },
      ],
      fill: { try fillItems($0, ["x", "y"]) },
      expectation: { context in
        try expectTexts(context, "A", "u", "ax")
        try expectTexts(context, "A", "v", "ay")
        try expectTexts(context, "B", "u", "by")
        try expectTexts(context, "B", "v", "bx")
      }),
    versions(
      "shared-again",
      "what is left of an attribute in its old place does not come back in a later version (M9)",
      [
        { items(&$0, [.string("x")]) },
        { items(&$0, a: [known("ax", "x")], b: [.string("x")]) },
        { items(&$0, [.string("ax")], b: [.string("x")]) },
        { items(&$0, [.string("ax"), .string("x")]) },
      ],
      fill: { try fillItems($0, ["x"]) },
      expectation: { context in
        try expectTexts(context, "A", "ax", "ax")
        try expectTexts(context, "A", "x", nil)
        try expectTexts(context, "B", "x", "bx")
        try expectTexts(context, "B", "ax", nil)
      }),
    versions(
      "shared-kinds",
      "what one entity's relationship can no longer lead to stays where its sibling's can (M12)",
      [
        { kinds(&$0, parent: "Base", [("Item", "r", "Tag")]) },
        {
          kinds(&$0, parent: "Base", [("A", "ar", "Tag"), ("B", "r", "Base")])
          $0["A"].declaredProperties.last?.renamingIdentifier = "r"
        },
        { kinds(&$0, parent: nil, [("A", "ar", "Tag"), ("B", "r", "Base")]) },
      ],
      fill: { try fillRelated($0) },
      expectation: { context in
        try expectTags(context, "A", "ar", "ta")
        for item in try context.all("B") { try expect(try item.one("r") == nil, "none") }
      }),
  ]

  /// Items that lead to records of two kinds.
  private static func kinds(
    _ sketch: inout ModelSketch, parent: String?,
    _ ends: [(entity: String, name: String, destination: String)]
  ) {
    sketch.add("Base", [.string("name")])
    sketch.add("Tag", parent == nil ? [.string("name")] : [], parent: parent)
    items(&sketch)
    for end in ends { sketch.relate(.init(end.entity, end.name, .one), to: end.destination) }
  }

  // MARK: Versions

  private static func versions(
    _ name: String, _ title: String, _ versions: [EvolutionPair.Edit],
    fill: @escaping EvolutionPair.Step, expectation: @escaping EvolutionPair.Step
  ) -> ConformanceCase {
    var pair = EvolutionPair(
      old: versions[0], new: versions[versions.count - 1], fill: fill, expectation: expectation)
    pair.between = Array(versions.dropFirst().dropLast())
    return .evolution(name, title, pair)
  }

  /// A text attribute with an earlier name.
  private static func known(_ name: String, _ identifier: String) -> AttributeDescription {
    let attribute = AttributeDescription.string(name)
    attribute.renamingIdentifier = identifier
    return attribute
  }

  private static func items(
    _ sketch: inout ModelSketch, _ attributes: [AttributeDescription] = [],
    a: [AttributeDescription] = [], b: [AttributeDescription] = []
  ) {
    sketch.add("Item", [.string("name")] + attributes, isAbstract: true)
    sketch.add("A", a, parent: "Item")
    sketch.add("B", b, parent: "Item")
  }

  private static func related(_ sketch: inout ModelSketch, _ ends: [ModelSketch.End]) {
    sketch.add("Tag", [.string("name")])
    items(&sketch)
    for end in ends { sketch.relate(end, to: "Tag") }
  }

  // MARK: Records

  private static let indices = 0..<4

  private static func fillItems(_ context: ManagedObjectContext, _ keys: [String]) throws {
    for entity in ["A", "B"] {
      for index in indices {
        let item = try context.make(entity, ["name": "\(entity.lowercased())\(index)"])
        for key in keys { try item.set(key, "\(entity.lowercased())\(key)\(index)") }
      }
    }
  }

  private static func expectTexts(
    _ context: ManagedObjectContext, _ entity: String, _ key: String, _ start: String?
  ) throws {
    for index in indices {
      let item = try context.named(entity, "\(entity.lowercased())\(index)")
      try expectEqual(
        try item.text(key), start.map { "\($0)\(index)" }, "\(entity).\(key) of \(index)")
    }
  }

  private static func fillRelated(_ context: ManagedObjectContext) throws {
    try fillItems(context, [])
    for item in try context.all("Item") {
      try item.set("r", context.make("Tag", ["name": "t" + (item.text("name") ?? "")]))
    }
  }

  private static func expectTags(
    _ context: ManagedObjectContext, _ entity: String, _ key: String, _ start: String
  ) throws {
    for index in indices {
      let item = try context.named(entity, "\(entity.lowercased())\(index)")
      try expectEqual(
        try item.one(key)?.text("name"), "\(start)\(index)", "\(entity).\(key) of \(index)")
    }
  }
}
