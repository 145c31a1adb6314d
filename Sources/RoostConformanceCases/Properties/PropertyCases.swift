// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// Properties that are more than a value in a record: derived, fetched, composite, large, of the program's own types.
enum PropertyCases {
  static let all: [ConformanceCase] =
    derived + derivedAlone + derivedRefusals + fetched + composites + large + transformables
    + sets + structs + collections
}

/// A shop: orders with items, tags and a customer, and everything of an order that can be computed.
enum ShopModel {
  static func make(
    _ edit: (inout ModelSketch) -> Void = { _ in }
  ) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Order",
      [
        .string("name"), .derived("folded", .string, "canonical:(name)"),
        .derived("upper", .string, "uppercase:(name)"), .derived("copy", .string, "name"),
        .derived("itemCount", .integer64, "count:(items)"),
        .derived("total", .double, "items.price.@sum"),
        .derived("pieces", .integer32, "sum:(items.pieces)"),
        .derived("tagCount", .integer16, "tags.@count"),
        .derived("customerName", .string, "customer.name"),
        .derived("saved", .date, "now()"),
      ])
    sketch.add("RushOrder", [.integer("hours")], parent: "Order")
    sketch.add("Item", [.string("name"), .of("price", .double), .of("pieces", .integer32)])
    sketch.add("Tag", [.string("name")])
    sketch.add("Customer", [.string("name"), .derived("orderCount", .integer64, "orders.@count")])
    sketch.relate(.init("Order", "items", .many, rule: .cascade), .init("Item", "order", .one))
    sketch.relate(.init("Order", "tags", .many), .init("Tag", "orders", .many))
    sketch.relate(.init("Order", "customer", .one), .init("Customer", "orders", .many))
    edit(&sketch)
    return sketch.make()
  }
}

extension AttributeDescription {
  /// A derived attribute in one line.
  static func derived(
    _ name: String, _ type: AttributeType, _ expression: String
  ) -> AttributeDescription {
    let attribute = DerivedAttributeDescription(name: name, type: type)
    attribute.derivationExpression = UnparsedExpression(expression)
    return attribute
  }
}

// MARK: - Fetched properties

extension PropertyCases {
  private static func library() throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Book", [.string("name"), .string("author")])
    let author = sketch.add("Author", [.string("name")])
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    request.predicate = try FetchPredicate("author == $FETCH_SOURCE.name")
    request.sortDescriptors = [SortOrdering("name", ascending: false)]
    let property = FetchedPropertyDescription(name: "books", fetchRequest: request)
    property.userInfo["letter"] = "a"
    let others = FetchRequest<ManagedObject>(entityName: "Author")
    others.predicate = try FetchPredicate(
      "SELF != $FETCH_SOURCE AND name BEGINSWITH $FETCHED_PROPERTY.userInfo.letter")
    let colleagues = FetchedPropertyDescription(name: "colleagues", fetchRequest: others)
    colleagues.userInfo["letter"] = "a"
    author.declaredProperties += [property, colleagues]
    return sketch.make()
  }

  private static func open(_ stage: ConformanceStage) throws -> ConformanceStack {
    let stack = try stage.open(try library())
    for name in ["a", "b", "c"] {
      try stack.context.make("Book", ["name": name, "author": name == "c" ? "bo" : "ann"])
    }
    for name in ["ann", "abe", "bo"] { try stack.context.make("Author", ["name": name]) }
    try stack.context.save()
    return stack
  }

  private static func names(_ object: ManagedObject, _ key: String) throws -> [String] {
    let found = try require(try object.value(forKey: key) as? [ManagedObject], "an array")
    return try found.map { try $0.text("name") ?? "-" }
  }

  static let fetched: [ConformanceCase] = [
    ConformanceCase(
      .properties, "fetched", "a fetched property is the ordered result of its request (B305, B306)"
    ) { stage in
      let stack = try open(stage)
      try stack.readAnew()
      let ann = try stack.context.named("Author", "ann")
      try expectEqual(try names(ann, "books"), ["b", "a"])
      try expectEqual(try names(ann, "colleagues"), ["abe"])
      try expect(!stack.context.hasChanges, "nothing is changed by it (B307)")
    },
    ConformanceCase(
      .properties, "fetched-cached",
      "a fetched property is evaluated once, until the object is refreshed (B305)"
    ) { stage in
      let stack = try open(stage)
      let ann = try stack.context.named("Author", "ann")
      try expectEqual(try names(ann, "books"), ["b", "a"])
      try stack.context.make("Book", ["name": "d", "author": "ann"])
      try stack.context.save()
      try expectEqual(try names(ann, "books"), ["b", "a"], "the books before the refresh")
      try stack.context.refresh(ann, mergeChanges: false)
      try expectEqual(try names(ann, "books"), ["d", "b", "a"], "the books after it")
      try stack.context.make("Book", ["name": "e", "author": "ann"])
      try stack.context.save()
      try stack.context.refresh(ann, mergeChanges: true)
      try expectEqual(try names(ann, "books"), ["e", "d", "b", "a"], "the books at last")
    },
    ConformanceCase(
      .properties, "fetched-pending", "a fetched property sees unsaved objects and values (B306)"
    ) { stage in
      let stack = try open(stage)
      let new = try stack.context.make("Author", ["name": "eve"])
      try stack.context.make("Book", ["name": "x", "author": "eve"])
      try expectEqual(try names(new, "books"), ["x"])
    },
    ConformanceCase(
      .properties, "fetched-misuse",
      "a fetched property cannot be set, nor be part of a predicate (B307)"
    ) { stage in
      let stack = try open(stage)
      let ann = try stack.context.named("Author", "ann")
      try expectError(.invalidValue) { try ann.set("books", [ManagedObject]()) }
      try expectError(.invalidRequest) {
        _ = try stack.context.all("Author", "ANY books.name == 'a'")
      }
    },
    ConformanceCase(
      .properties, "fetched-across", "a fetched property leads into another store (B307)",
      needs: []
    ) { stage in
      let model = try library()
      let entities = model.entitiesByName
      try model.setEntities([entities["Book"]].compactMap { $0 }, forConfigurationName: "Books")
      try model.setEntities([entities["Author"]].compactMap { $0 }, forConfigurationName: "People")
      var first = try stage.makeStore()
      first.configuration = "Books"
      var second = try stage.makeReferenceStore()
      second.configuration = "People"
      let stack = try stage.open(model, on: [first, second])
      let ann = try stack.context.make("Author", ["name": "ann"])
      try stack.context.make("Book", ["name": "a", "author": "ann"])
      try stack.context.save()
      try expectEqual(try names(ann, "books"), ["a"])
    },
  ]
}
