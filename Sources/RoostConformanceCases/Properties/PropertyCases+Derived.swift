// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Derived attributes of related records: they stay correct, whichever context changes their sources.
extension PropertyCases {
  private static func fill(_ stack: ConformanceStack) throws -> ManagedObject {
    let order = try stack.context.make("Order", ["name": "First"])
    for (name, price) in [("pen", 1.5), ("ink", 4.0)] {
      try stack.context.make("Item", ["name": name, "price": price, "pieces": 2, "order": order])
    }
    let customer = try stack.context.make("Customer", ["name": "Ann"])
    try order.set("customer", customer)
    try order.add(try stack.context.make("Tag", ["name": "new"]), to: "tags")
    try stack.context.save()
    return order
  }

  /// Checks the derived attributes of an order, in memory and as stored.
  private static func expectItems(
    _ stack: ConformanceStack, _ name: String, _ count: Int64, _ total: Double, _ pieces: Int64
  ) throws {
    for isFresh in [false, true] {
      if isFresh { try stack.readAnew() }
      let order = try stack.context.named("Order", name)
      if isFresh { try stack.context.refresh(order, mergeChanges: false) }
      let place = isFresh ? "stored" : "in memory"
      try expectEqual(try order.number("itemCount"), count, "the count \(place)")
      try expectEqual(try order.get("total"), .double(total), "the sum \(place)")
      try expectEqual(try order.number("pieces"), pieces, "the pieces \(place)")
    }
  }

  private static func shop(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.properties, name, title) { stage in
      let stack = try stage.open(ShopModel.make())
      try body(stack, try fill(stack))
    }
  }

  static let derived: [ConformanceCase] = [
    shop("derived-members", "@count and @sum are right after the first save (B308, B310)") {
      stack, _ in
      try expectItems(stack, "First", 2, 5.5, 4)
    },
    shop("derived-added", "@count and @sum follow a member that is added at its own end (B308)") {
      stack, order in
      try stack.context.make("Item", ["name": "cap", "price": 0.25, "order": order])
      try expectEqual(try order.number("itemCount"), 2, "the count before the save")
      try stack.context.save()
      try expectEqual(try order.number("itemCount"), 3, "the count after the save")
      try expectItems(stack, "First", 3, 5.75, 4)
    },
    shop("derived-changed", "@sum follows a member's value (B308)") { stack, _ in
      let pen = try stack.context.named("Item", "pen")
      try pen.set("price", 10.0)
      try pen.set("pieces", nil)
      try stack.context.save()
      try expectItems(stack, "First", 2, 14, 2)
    },
    shop("derived-moved", "@count and @sum follow a member from one record to another (B308)") {
      stack, _ in
      let second = try stack.context.make("Order", ["name": "Second"])
      try stack.context.save()
      try expectItems(stack, "Second", 0, 0, 0)
      let other = try stack.context.named("Order", "Second")
      try stack.context.named("Item", "ink").set("order", other)
      try stack.context.save()
      try expectItems(stack, "First", 1, 1.5, 2)
      try expectItems(stack, "Second", 1, 4, 2)
      try expect(second.objectID == other.objectID, "it is the same order")
    },
    shop("derived-deleted", "@count and @sum follow a member that is deleted (B308)") { stack, _ in
      stack.context.delete(try stack.context.named("Item", "ink"))
      try stack.context.save()
      try expectItems(stack, "First", 1, 1.5, 2)
    },
    shop("derived-links", "@count follows links between many and many (B308)") { stack, order in
      try expectEqual(try order.number("tagCount"), 1, "the count of one")
      let tag = try stack.context.make("Tag", ["name": "old"])
      try tag.add(order, to: "orders")
      try stack.context.save()
      try expectEqual(try order.number("tagCount"), 2, "the count of two")
      stack.context.delete(tag)
      try stack.context.save()
      try expectEqual(try order.number("tagCount"), 1, "the count after the deletion")
      try order.set("tags", Set<ManagedObject>())
      try stack.context.save()
      try stack.readAnew()
      let stored = try stack.context.named("Order", "First")
      try expectEqual(try stored.number("tagCount"), 0, "the stored count of none")
    },
    shop("derived-copied", "a copy along a relationship follows both its ends (B308, B310)") {
      stack, order in
      try expectEqual(try order.text("customerName"), "Ann")
      let ann = try stack.context.named("Customer", "Ann")
      try ann.set("name", "Anna")
      try stack.context.save()
      try expectEqual(try order.text("customerName"), "Anna", "the name after it was changed")
      let bob = try stack.context.make("Customer", ["name": "Bob"])
      try order.set("customer", bob)
      try stack.context.save()
      try expectEqual(try order.text("customerName"), "Bob", "the name of another customer")
      try expectEqual(try ann.number("orderCount"), 0, "the orders of the first")
      try expectEqual(try bob.number("orderCount"), 1, "the orders of the second")
      stack.context.delete(bob)
      try stack.context.save()
      try stack.readAnew()
      let stored = try stack.context.named("Order", "First")
      try expectEqual(try stored.text("customerName"), nil, "the stored name without a customer")
    },
    shop(
      "derived-concurrent",
      "two contexts that add members to one record are not in conflict, and both count (B308)"
    ) { stack, order in
      let other = stack.makeContext()
      let same = try require(try other.all("Order").first, "the order")
      try other.make("Item", ["name": "cap", "price": 1.0, "order": same])
      try stack.context.make("Item", ["name": "nib", "price": 2.0, "order": order])
      try stack.context.save()
      try other.save()
      try expectEqual(try same.number("itemCount"), 4, "the count in the context that saved last")
      try stack.context.refresh(order, mergeChanges: true)
      try expectItems(stack, "First", 4, 8.5, 4)
    },
    shop("derived-version", "a record that is only computed anew keeps its version (B173)") {
      stack, order in
      let version = try stack.version(of: order)
      try stack.context.make("Item", ["name": "cap", "order": order])
      try stack.context.save()
      try expectEqual(try stack.version(of: order), version, "the version")
    },
    shop("derived-query", "derived attributes are found and sorted by (B308)") { stack, order in
      try stack.context.make("Order", ["name": "\u{C9}clair"])
      try stack.context.save()
      try expectEqual(try stack.context.names("Order", "folded == 'eclair'"), ["\u{C9}clair"])
      try expectEqual(try stack.context.names("Order", "itemCount > 1 AND total < 6"), ["First"])
      let request = FetchRequest<ManagedObject>(entityName: "Order")
      request.sortDescriptors = [SortOrdering("itemCount", ascending: false)]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "-" }
      try expectEqual(found, ["First", "\u{C9}clair"], "the order by count")
    },
    shop("derived-inherited", "subentities compute what they inherit (B300, B308)") { stack, _ in
      let rush = try stack.context.make("RushOrder", ["name": "Quick", "hours": 3])
      try stack.context.make("Item", ["name": "cap", "price": 2.0, "order": rush])
      try stack.context.save()
      try expectEqual(try rush.text("upper"), "QUICK")
      try expectItems(stack, "Quick", 1, 2, 0)
    },
  ]
}
