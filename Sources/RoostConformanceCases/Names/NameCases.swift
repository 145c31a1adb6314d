// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Names that a store must not stumble over.
enum NameCases {
  private static let names: [(id: String, name: String)] = [
    ("sql-select", "select"), ("sql-table", "TABLE"), ("sql-order", "order"),
    ("sql-group", "group"),
    ("sql-from", "From"), ("sql-index", "index"), ("sql-values", "values"), ("sql-rowid", "rowid"),
    ("sql-oid", "oid"), ("sql-primary", "primary"), ("sql-null", "null"), ("sql-xmin", "xmin"),
    ("sql-ctid", "ctid"), ("sql-sqlite", "sqlite_master"), ("quote", "it's"),
    ("double-quote", "a\"b"), ("backtick", "a`b"), ("bracket", "[a]"),
    ("semicolon", "a; DROP TABLE b"),
    ("comment", "a--b"), ("block-comment", "a/*b*/"), ("question", "a?1"), ("colon", ":a"),
    ("dollar", "$1"), ("percent", "a%sb"), ("underscore", "_"), ("hash", "#a"), ("plus", "a+b"),
    ("backslash", "a\\b"), ("space", "two words"), ("spaces", "  "), ("newline", "a\nb"),
    ("tab", "a\tb"), ("composed", "caf\u{E9}"), ("chinese", "\u{4F60}\u{597D}"),
    ("emoji", "\u{1F600}"), ("right-to-left", "\u{5E9}\u{5DC}"), ("digits", "123"),
    ("keyword-key", "SELF"), ("keyword-any", "ANY"), ("long-63", String(repeating: "n", count: 63)),
    ("long-64", String(repeating: "n", count: 64)),
    ("long-200", String(repeating: "n", count: 200)),
    ("long-unicode", String(repeating: "\u{1F600}", count: 50)), ("key", "key"),
    ("version", "version"), ("entity-word", "entityName"), ("table-word", "Z_PK"),
  ]

  static let all: [ConformanceCase] =
    names.map { id, name in
      ConformanceCase(
        .names, id, "an entity, attributes and relationships may have the name \(id) (B300)"
      ) { stage in
        try play(name, in: try stage.open(model(name)))
      }
    } + clashes

  /// A model in which all names are equal, or have the same prefix.
  private static func model(_ name: String) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(name, [.string("name"), .string(name), .integer(name + "2")])
    sketch.add(name + "x", [.string("other")], parent: name)
    sketch.relate(.init(name, name + "One", .one), .init(name, name + "Many", .many))
    sketch.relate(.init(name, name + "Left", .many), .init(name, name + "Right", .many))
    sketch.relate(.init(name, name + "Parent", .one), .init(name, name + "Children", .ordered))
    return sketch.make()
  }

  private static func play(_ name: String, in stack: ConformanceStack) throws {
    let context = stack.context
    let a = try context.make(name, ["name": "a"])
    let b = try context.make(name, ["name": "b"])
    let c = try context.make(name + "x", ["name": "c"])
    try a.set(name, "value")
    try a.set(name + "2", 2)
    try a.set(name + "One", b)
    try a.set(name + "Left", Set([b, c]))
    try a.set(name + "Children", [c, b])
    try context.save()
    try stack.readAnew()
    let found = try stack.context.named(name, "a")
    try expectExact(try found.get(name), .string("value"))
    try expectExact(try found.get(name + "2"), .integer(2))
    try expectEqual(try found.one(name + "One")?.text("name"), "b", "the to-one destination")
    try expectEqual(try found.names(name + "Left"), ["b", "c"], "the links")
    try expectEqual(try found.names(name + "Children"), ["c", "b"], "the ordered destinations")
    let condition = FetchPredicate.comparison(
      ComparisonPredicate(.keyPath([name]), .equalTo, .constant(.string("value"))))
    try expectEqual(try names(condition, name, stack.context), ["a"], "the objects found by value")
    let count = FetchPredicate.comparison(
      ComparisonPredicate(.keyPath([name + "Left", "@count"]), .equalTo, .constant(.integer(2))))
    try expectEqual(try names(count, name, stack.context), ["a"], "the objects found by links")
    try found.set(name, nil)
    stack.context.delete(try stack.context.named(name, "b"))
    try stack.context.save()
    try stack.readAnew()
    let again = try stack.context.named(name, "a")
    try expectExact(try again.get(name), .null)
    try expectEqual(try again.names(name + "Left"), ["c"], "the links that are left")
  }

  private static func names(
    _ predicate: FetchPredicate, _ entity: String, _ context: ManagedObjectContext
  ) throws -> [String] {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.predicate = predicate
    request.sortDescriptors = [SortOrdering("name")]
    return try context.fetch(request).map { try $0.text("name") ?? "" }
  }

  private static let clashes: [ConformanceCase] = [
    ConformanceCase(
      .names, "case-clash",
      "names that differ in case only are two names (value contract: identifiers)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Thing", [.string("name"), .string("NAME"), .string("Name")])
      sketch.add("THING", [.string("name")])
      let stack = try stage.open(sketch.make())
      try stack.context.make("Thing", ["name": "a", "NAME": "b", "Name": "c"])
      try stack.context.make("THING", ["name": "d"])
      try stack.context.save()
      try stack.readAnew()
      let thing = try stack.context.named("Thing", "a")
      try expectExact(try thing.get("NAME"), .string("b"))
      try expectExact(try thing.get("Name"), .string("c"))
      try expectEqual(try stack.context.names("THING"), ["d"])
    },
    ConformanceCase(
      .names, "long-clash",
      "long names that begin alike are two names (value contract: identifiers)"
    ) { stage in
      let stem = String(repeating: "n", count: 100)
      var sketch = ModelSketch()
      sketch.add(stem + "1", [.string("name"), .string(stem + "1"), .string(stem + "2")])
      sketch.add(stem + "2", [.string("name")])
      let stack = try stage.open(sketch.make())
      let object = try stack.context.make(stem + "1", ["name": "a"])
      try object.set(stem + "1", "one")
      try object.set(stem + "2", "two")
      try stack.context.make(stem + "2", ["name": "b"])
      try stack.context.save()
      try stack.readAnew()
      let found = try stack.context.named(stem + "1", "a")
      try expectExact(try found.get(stem + "1"), .string("one"))
      try expectExact(try found.get(stem + "2"), .string("two"))
      try expectEqual(try stack.context.names(stem + "2"), ["b"])
    },
    ConformanceCase(
      .names, "many-attributes", "an entity may have 200 attributes (value contract: identifiers)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Wide", [.string("name")] + (0..<200).map { .integer("value\($0)") })
      let stack = try stage.open(sketch.make())
      let object = try stack.context.make("Wide", ["name": "a"])
      for index in 0..<200 where index % 3 == 0 { try object.set("value\(index)", index) }
      try stack.context.save()
      try stack.readAnew()
      let found = try stack.context.named("Wide", "a")
      for index in 0..<200 {
        try expectExact(
          try found.get("value\(index)"), index % 3 == 0 ? .integer(Int64(index)) : .null,
          "value\(index)")
      }
      try expectEqual(try stack.context.names("Wide", "value198 == 198"), ["a"])
    },
  ]
}
