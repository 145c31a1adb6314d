// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Derived attributes of a record's own values, and invalid ones.
extension PropertyCases {
  static let derivedAlone: [ConformanceCase] = [
    ConformanceCase(
      .properties, "derived-own",
      "functions of an attribute are computed at the save, and stale before (B308, B310)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let order = try stack.context.make("Order", ["name": "Caf\u{E9}"])
      try expectEqual(try order.text("folded"), nil, "the value before the first save")
      try stack.context.save()
      try expectEqual(try order.text("folded"), "cafe")
      try expectEqual(try order.text("upper"), "CAF\u{C9}")
      try expectEqual(try order.text("copy"), "Caf\u{E9}")
      try order.set("name", "T\u{E9}")
      try expectEqual(try order.text("folded"), "cafe", "the value before the second save")
      try stack.context.save()
      try expectEqual(try order.text("folded"), "te", "the value after it")
      try expect(!order.hasChanges, "the object is clean")
      try stack.readAnew()
      try expectEqual(try stack.context.named("Order", "T\u{E9}").text("folded"), "te", "stored")
    },
    ConformanceCase(
      .properties, "derived-now", "now() is the time of the save that wrote the record (B310)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let order = try stack.context.make("Order", ["name": "a"])
      let before = Date()
      try stack.context.save()
      let first = try require(try order.value(forKey: "saved") as? Date, "the time")
      try expect(first >= before && first <= Date(), "the time is that of the save")
      try stack.context.make("Order", ["name": "b"])
      try stack.context.save()
      try expectEqual(try order.value(forKey: "saved") as? Date, first, "the time of another save")
      try order.set("name", "c")
      try stack.context.save()
      let second = try require(try order.value(forKey: "saved") as? Date, "the new time")
      try expect(second >= first, "the time goes on")
      try stack.readAnew()
      let stored = try stack.context.named("Order", "c")
      try expectEqual(try stored.value(forKey: "saved") as? Date, second, "the stored time")
    },
    ConformanceCase(
      .properties, "derived-set", "setting a derived attribute has no effect (B309)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let order = try stack.context.make("Order", ["name": "a", "upper": "z", "itemCount": 9])
      try stack.context.save()
      try expectEqual(try order.text("upper"), "A", "what was given at the insertion")
      try expectEqual(try order.number("itemCount"), 0, "the count")
      let version = try stack.version(of: order)
      try order.set("upper", "q")
      try stack.context.save()
      try expectEqual(try order.text("upper"), "A", "what was set alone")
      try expectEqual(
        try stack.version(of: order), version, "the version: nothing is written (B55)")
      try order.set("upper", "q")
      try order.set("name", "b")
      try stack.context.save()
      try expectEqual(try order.text("upper"), "B", "what was set with another value")
      try stack.readAnew()
      try expectEqual(try stack.context.named("Order", "b").text("upper"), "B", "what is stored")
    },
    ConformanceCase(
      .properties, "derived-required",
      "a derived attribute that is not optional needs a first value to be valid (B309)"
    ) { stage in
      let model = ShopModel.make { $0["Order"].attributesByName["upper"]?.isOptional = false }
      let stack = try stage.open(model)
      let order = try stack.context.make("Order", ["name": "a"])
      try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      try order.set("upper", "")
      try stack.context.save()
      try expectEqual(try order.text("upper"), "A")
    },
    ConformanceCase(
      .properties, "derived-unique", "a derived attribute can be unique (B190, B308)"
    ) { stage in
      let model = ShopModel.make { $0["Order"].uniquenessConstraints = [["folded"]] }
      let stack = try stage.open(model)
      try stack.context.make("Order", ["name": "Caf\u{E9}"])
      try stack.context.save()
      let second = try stack.context.make("Order", ["name": "CAFE"])
      try expectError(.managedObjectConstraintMerge) { try stack.context.save() }
      try second.set("name", "Tea")
      try stack.context.save()
      try expectEqual(try stack.context.names("Order").sorted(), ["Caf\u{E9}", "Tea"])
    },
    ConformanceCase(
      .properties, "derived-failed", "a save that fails leaves derived values as they were (B169)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let order = try stack.context.make("Order", ["name": "a"])
      try stack.context.save()
      let other = stack.makeContext()
      let same = try require(try other.all("Order").first, "the order")
      try same.set("name", "other")
      try order.set("name", "b")
      try stack.context.save()
      try other.make("Item", ["name": "cap", "order": same])
      try expectError(.managedObjectMerge) { try other.save() }
      try expectEqual(try same.number("itemCount"), 0, "the count in the context that failed")
      try stack.readAnew()
      let stored = try stack.context.named("Order", "b")
      try expectEqual(try stored.number("itemCount"), 0, "the stored count")
      try expectEqual(try stored.text("upper"), "B", "the stored name")
    },
    ConformanceCase(
      .properties, "derived-overflow", "a sum without room in its type fails the save (B169)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let order = try stack.context.make("Order", ["name": "a"])
      for name in ["x", "y"] {
        try stack.context.make("Item", ["name": name, "pieces": Int(Int32.max), "order": order])
      }
      try expectError(.arithmeticOverflow) { try stack.context.save() }
      try stack.context.named("Item", "x").set("pieces", 0)
      try stack.context.save()
      try expectEqual(try order.number("pieces"), Int64(Int32.max))
    },
  ]

  static let derivedRefusals: [ConformanceCase] = [
    "items.@avg.price", "items.price", "items.@sum.name", "items.@sum.pieces", "name.@count",
    "price", "sum:(name)",
    "customer.@count", "add:to:(name, 1)", "lowercase:(itemCount)", "copy", "items.@count.name",
    "lowercase:(uppercase:(name))", "tags.orders.@count", "name ==",
  ].enumerated().map { index, expression in
    ConformanceCase(
      .properties, "derived-refused-\(index)",
      "a store refuses a model that derives “\(expression)” (B310)"
    ) { stage in
      let model = ShopModel.make {
        $0["Order"].declaredProperties.append(
          AttributeDescription.derived("odd", .string, expression))
      }
      try expectError(.persistentStoreIncompatibleSchema, "adding the store") {
        _ = try stage.open(model)
      }
    }
  }
}
