// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Views for other tools. They are read with statements that know nothing of the store's tables.
extension FetchingCases {
  static let views: [ConformanceCase] = [
    ConformanceCase(
      .fetching, "views.values", "a view shows each value in a form that other tools read (B369)"
    ) { stage in
      let stack = try stage.open(viewedModel().make())
      let badge = try require(UUID(uuidString: "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9"))
      for (name, date, decimal) in viewedValues {
        let thing = try stack.context.make(
          "Thing", ["name": name, "at": date, "amount": Decimal(string: decimal)])
        guard name == "first" else { continue }
        try thing.set("ok", true)
        try thing.set("badge", badge)
        try thing.set("bytes", Data([0, 255]))
        try thing.set("link", URL(string: "https://example.org/?q=1"))
        try thing.set("share", -0.5)
        try thing.set("id", -7)
        try thing.set("place", ["city": "Bern", "since": date] as [String: Any])
      }
      try stack.context.make("Thing", ["name": "empty"])
      try stack.context.save()
      guard let views = try viewsOfStore(stack) else { return }
      let names = try views.store.write(in: views.place)
      defer { _ = try? views.store.remove(in: views.place) }
      let thing = try require(names.first { $0.hasSuffix("Thing\"") }, "the view")
      let columns = [
        "name", "at", "amount", "ok", "badge", "bytes", "link", "share", "id", "place_city",
        "place_since",
      ]
      let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
      let rows = try rows("SELECT \(list) FROM \(thing) ORDER BY \"_id\"", stack)
      var wanted = viewedValues.map { name, date, decimal in
        [name, iso(date), decimal, "-", "-", "-", "-", "-", "-", "-", "-"]
      }
      wanted[0].replaceSubrange(
        3...,
        with: [
          "1", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "00ff", "https://example.org/?q=1", "-0.5",
          "-7", "Bern", iso(viewedValues[0].date),
        ])
      wanted.append(["empty"] + Array(repeating: "-", count: 10))
      try expectEqual(rows, wanted)
    },
    ConformanceCase(
      .fetching, "views.dates", "dates beyond the range of the database are infinite (B369)"
    ) { stage in
      let stack = try stage.open(viewedModel().make())
      for (name, seconds) in [("a", 1e300), ("b", -1e300), ("c", 1e13), ("d", -1e13)] {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        try stack.context.make("Thing", ["name": name, "at": date])
      }
      try stack.context.save()
      guard let views = try viewsOfStore(stack) else { return }
      let names = try views.store.write(in: views.place)
      defer { _ = try? views.store.remove(in: views.place) }
      let thing = try require(names.first { $0.hasSuffix("Thing\"") }, "the view")
      let rows = try rows("SELECT CAST(\"at\" AS text) FROM \(thing) ORDER BY \"name\"", stack)
      try expectEqual(rows, [["infinity"], ["-infinity"], ["infinity"], ["-infinity"]])
    },
    ConformanceCase(
      .fetching, "views.graph",
      "views have inherited columns, the records of subentities, and links, by any name (B369)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Animal", [.string("name")], isAbstract: true)
      sketch.add("Dog", [.integer("select"), .string("owner_id")], parent: "Animal")
      sketch.add("Grey \"Cat\"", [.string("Ort, wo's ist")], parent: "Animal")
      sketch.add("dog", [.string("name"), .string("NAME")])
      sketch.relate(.init("Dog", "owner", .one), .init("dog", "dogs", .ordered))
      sketch.relate(.init("Animal", "friends", .ordered), .init("dog", "animals", .many))
      let stack = try stage.open(sketch.make())
      let small = try stack.context.make("dog", ["name": "s", "NAME": "S"])
      let rex = try stack.context.make("Dog", ["name": "Rex", "select": 1, "owner_id": "o"])
      let tom = try stack.context.make("Grey \"Cat\"", ["name": "Tom", "Ort, wo's ist": "Dach"])
      try rex.set("owner", small)
      try stack.context.save()
      try tom.set("friends", [small])
      try stack.context.save()
      guard let views = try viewsOfStore(stack) else { return }
      let names = try views.store.write(in: views.place)
      defer { _ = try? views.store.remove(in: views.place) }
      func key(_ object: ManagedObject) -> String { String(object.objectID.key) }
      try expectEqual(names.count, 5)
      let (animals, dogs, cats, small2, links) = (
        names[0], names[1], names[2], names[3], names[4]
      )
      try expectEqual(
        try rows("SELECT \"name\", \"entity\" FROM \(animals) ORDER BY 1", stack),
        [["Rex", "Dog"], ["Tom", "Grey \"Cat\""]])
      try expectEqual(
        try rows(
          "SELECT \"id\", \"name\", \"select\", \"owner_id\", \"_owner_id\" FROM \(dogs)", stack),
        [[key(rex), "Rex", "1", "o", key(small)]])
      try expectEqual(
        try rows("SELECT \"id\", \"name\", \"Ort, wo's ist\" FROM \(cats)", stack),
        [[key(tom), "Tom", "Dach"]])
      try expectEqual(
        try rows("SELECT \"name\", \"NAME_2\" FROM \(small2)", stack), [["s", "S"]])
      try expectEqual(
        try rows("SELECT \"Animal_id\", \"friends_id\" FROM \(links)", stack),
        [[key(tom), key(small)]])
    },
    ConformanceCase(
      .fetching, "views.again",
      "views are made again and removed, and a name that cannot be used is refused (B369)"
    ) { stage in
      let stack = try stage.open(viewedModel().make())
      guard let views = try viewsOfStore(stack) else { return }
      let names = try views.store.write(in: views.place)
      try stack.context.make("Thing", ["name": "later"])
      try stack.context.save()
      try expectEqual(try views.store.write(in: views.place), names, "the second time")
      try expectEqual(try rows("SELECT \"name\" FROM \(names[0])", stack), [["later"]])
      let statements = try views.store.statements(in: views.place)
      try expect(statements.contains { $0.contains("CREATE VIEW \(names[0]) AS") }, "what is made")
      if stage.isReopenable {
        try stack.reopen()
        try expectEqual(try rows("SELECT \"name\" FROM \(names[0])", stack), [["later"]])
      }
      let again = try require(try viewsOfStore(stack))
      try expectEqual(try again.store.remove(in: views.place).sorted(), names.sorted(), "removed")
      try expectEqual(try again.store.remove(in: views.place), [], "nothing is left")
      try expectError(.invalidRequest, "a view that is gone") {
        _ = try rows("SELECT * FROM \(names[0])", stack)
      }
      for place in ["", "pg_sqlite_\0", String(repeating: "x", count: 80)] {
        try expectError(.invalidRequest, "the place \(place)") {
          _ = try again.store.write(in: place)
        }
      }
    },
    ConformanceCase(
      .fetching, "views.evolution",
      "a migration makes views anew that show what it removes (B369, M9)",
      needs: [.reopening, .evolution]
    ) { stage in
      var before = ModelSketch()
      before.add("Thing", [.string("name"), .string("gone"), .of("size", .integer32)])
      before.add("Lost", [.string("name")])
      let stack = try stage.open(before.make())
      try stack.context.make("Thing", ["name": "a", "gone": "x", "size": 3])
      try stack.context.save()
      guard let views = try viewsOfStore(stack) else { return }
      let old = try views.store.write(in: views.place)
      try expectEqual(old.count, 2)
      var after = ModelSketch()
      let size = AttributeDescription.of("length", .integer32)
      size.renamingIdentifier = "size"
      after.add("Thing", [.string("name"), size, .of("at", .date)])
      after.add("New", [.string("name")])
      try stack.reopen(model: after.make())
      let thing = try require(old.first { $0.hasSuffix("Thing\"") }, "the view")
      try expectEqual(
        try rows("SELECT \"name\", \"length\", \"at\" FROM \(thing)", stack), [["a", "3", "-"]])
      let lost = try require(old.first { $0.hasSuffix("Lost\"") }, "the view")
      try expectEqual(
        try rows("SELECT \"name\" FROM \(lost.replacing("Lost", with: "New"))", stack), [])
      for query in ["SELECT \"gone\" || '' FROM \(thing) AS t", "SELECT * FROM \(lost)"] {
        try expectError(.invalidRequest, query) { _ = try rows(query, stack) }
      }
      let again = try require(try viewsOfStore(stack))
      try expectEqual(try again.store.remove(in: views.place).count, 2)
    },
  ]

  // MARK: - Parts of the cases

  private static let viewedValues: [(name: String, date: Date, decimal: String)] = [
    ("first", Date(timeIntervalSince1970: -14_182_940), "12345678901234567890.125"),
    ("second", Date(timeIntervalSince1970: 0.25), "-0.001"),
    ("third", Date(timeIntervalSinceReferenceDate: 0), "1000"),
    ("fourth", Date(timeIntervalSince1970: 1_709_208_000.5), "-1234.5"),
    ("fifth", Date(timeIntervalSince1970: 253_402_300_799), "0"),
    ("sixth", Date(timeIntervalSince1970: -8_520_336_000), "0.5"),
  ]

  private static func viewedModel() -> ModelSketch {
    var sketch = ModelSketch()
    sketch.add(
      "Thing",
      [
        .string("name"), .of("at", .date), .of("amount", .decimal), .of("ok", .boolean),
        .of("badge", .uuid), .of("bytes", .binaryData), .of("link", .uri), .of("share", .double),
        .integer("id"),
        CompositeAttributeDescription(
          name: "place", elements: [AttributeDescription.string("city"), .of("since", .date)]),
      ])
    return sketch
  }

  /// Returns the views of a stack's store, and a place of which no other store knows; nil for a store that is no SQL
  /// database, which says so.
  private static func viewsOfStore(
    _ stack: ConformanceStack
  ) throws -> (store: any StoreViews, place: String)? {
    let store = try require(stack.coordinator.persistentStores.first)
    guard let views = store.views else {
      try expectError(.persistentStoreUnsupportedRequestType, "a store without SQL") {
        _ = try TextRequests(stack.coordinator).views(of: store)
      }
      return nil
    }
    let number = store.identity.identifier.filter(\.isHexDigit).prefix(20).lowercased()
    return (views, "w\(number)_")
  }

  /// Returns the values of a statement's rows as texts; NULL is a dash.
  private static func rows(_ text: String, _ stack: ConformanceStack) throws -> [[String]] {
    try TextRequests(stack.coordinator).rows(of: SQLText(verbatim: text), in: nil).map { row in
      row.values.map { value in
        switch value {
        case .null: "-"
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): "\(number)"
        case .boolean(let truth): truth ? "1" : "0"
        case .date(let date): iso(date)
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .decimal(let decimal): decimal.description
        case .data(let data): data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        default: "\(value)"
        }
      }
    }
  }

  private static func iso(_ date: Date) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
  }
}
