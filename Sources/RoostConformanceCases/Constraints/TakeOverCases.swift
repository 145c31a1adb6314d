// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Saves whose objects collide with one stored record through several constraints.
enum TakeOverCases {
  static let all: [ConformanceCase] =
    [
      two(
        "object-trump", .mergeByPropertyObjectTrump, ["old y 2 0 1 5.0"],
        "become the record with the values of both"),
      two(
        "store-trump", .mergeByPropertyStoreTrump, ["old y 2 0 1 5.0"],
        "fill what the record leaves open"),
      two(
        "overwrite", .overwrite, ["- - 2 0 - 5.0", "- y - - 1 -"],
        "are two records where the first leaves the other's values"),
      two("rollback", .rollback, ["old y 2 0 - -"], "become the record as it is"),
    ] + [three, changed] + chains + ClaimCases.all

  private static func makeModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Contact",
      [
        .string("name"), .string("email"), .string("phone"), .integer("a"), .integer("b"),
        .of("pay", .double),
      ], unique: [["email"], ["a", "b"]])
    sketch.add("Tag", [.string("name")])
    sketch.relate(.init("Tag", "owner", .one, isOptional: false), .init("Contact", "tags", .many))
    return sketch.make()
  }

  private static func takeOver(
    _ name: String, _ title: String, _ policy: MergePolicy,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObjectContext, ObjectID) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.constraints, "takeover-\(name)", title, needs: [.uniqueness]) { stage in
      let stack = try stage.open(makeModel())
      let old = try stack.context.make(
        "Contact", ["name": "old", "email": "y", "a": 2, "b": 0])
      try stack.context.save()
      let context = stack.makeContext()
      context.mergePolicy = policy
      try body(stack, context, old.objectID)
    }
  }

  /// A contact in one line.
  private static func line(_ contact: ManagedObject) throws -> String {
    try ["name", "email", "a", "b", "phone", "pay"].map { key in
      try contact.value(forKey: key).map { "\($0)" } ?? "-"
    }.joined(separator: " ")
  }

  private static func contacts(_ stack: ConformanceStack) throws -> [String] {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    return try fresh.all("Contact").map(line).sorted()
  }

  private static func two(
    _ name: String, _ policy: MergePolicy, _ wanted: [String], _ words: String
  ) -> ConformanceCase {
    takeOver(
      name, "two new objects, each with another unique value of one record, \(words) (B32, B193)",
      policy
    ) { stack, context, id in
      let first = try context.make("Contact", ["email": "y", "phone": "1"])
      let second = try context.make("Contact", ["a": 2, "b": 0, "pay": 5.0])
      // A policy that gives up the second object would give up what it owns.
      let tag =
        name == "rollback" ? nil : try context.make("Tag", ["name": "T", "owner": second])
      try context.save()
      try expectEqual(try contacts(stack), wanted, "the store")
      let left = [first, second].filter { $0.managedObjectContext === context }
      try expectEqual(left.count, wanted.count, "the objects that are left")
      try expectEqual(left.filter { $0.objectID == id }.count, 1, "who is the record (B32)")
      try expectEqual(Set(left.map(\.objectID)).count, left.count, "one object a record (B32)")
      if let tag {
        try expect(try tag.one("owner")?.managedObjectContext === context, "a living owner")
      }
      for object in left { try object.set("name", "later") }
      try context.save()
      try expectEqual(
        try stack.makeContext().names("Contact"), left.map { _ in "later" }, "the next save")
    }
  }

  private static let three = takeOver(
    "both", "an object with both unique values of a record takes it over once (B32, B193)",
    .mergeByPropertyObjectTrump
  ) { stack, context, id in
    let both = try context.make("Contact", ["email": "y", "a": 2, "b": 0])
    try context.make("Contact", ["email": "y", "phone": "1"])
    try context.make("Contact", ["a": 2, "b": 0, "pay": 5.0])
    try context.save()
    try expectEqual(try contacts(stack), ["old y 2 0 1 5.0"], "the store")
    try expectEqual(both.objectID, id, "who is the record")
    try expect(!context.hasChanges, "the context is saved")
  }

  private static let changed = takeOver(
    "changed",
    "a changed record removes the record with its value, and a new object of that is new (B193)",
    .mergeByPropertyObjectTrump
  ) { stack, context, id in
    try stack.context.make("Contact", ["name": "other", "email": "x"])
    try stack.context.save()
    let new = try context.make("Contact", ["name": "new", "a": 2, "b": 0])
    let other = try context.named("Contact", "other")
    try other.set("email", "y")
    try context.save()
    try expectEqual(try contacts(stack), ["new - 2 0 - -", "other y - - - -"], "the store")
    try expect(new.objectID != id, "the new object is a record of its own")
  }

  // MARK: Chains of collisions

  private typealias Line = (email: String?, number: Int?)

  @discardableResult
  private static func make(_ line: Line, _ context: ManagedObjectContext) throws -> ManagedObject {
    let contact = try context.make("Contact", [:])
    for (key, value) in values(line) { try contact.set(key, value) }
    return contact
  }

  private static func values(_ line: Line) -> [String: Any] {
    var values: [String: Any] = [:]
    if let email = line.email { values["email"] = email }
    if let number = line.number { (values["a"], values["b"]) = (number, 0) }
    return values
  }

  /// New objects of which each collides with the next one, through another constraint.
  private static func chain(
    _ name: String, _ policy: MergePolicy, _ lines: [Line], _ wanted: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      .constraints, "chain-\(name)",
      "objects that collide in a chain give the same records in each store (B193)",
      needs: [.uniqueness]
    ) { stage in
      let stack = try stage.open(makeModel())
      stack.context.mergePolicy = policy
      for line in lines { try make(line, stack.context) }
      try stack.context.save()
      try expectEqual(try contacts(stack), wanted, "the store")
    }
  }

  /// A batch of records of which each collides with the next one; expects which of the results are one record.
  private static func batch(
    _ name: String, stored: [Line], _ lines: [Line], _ wanted: [Int], _ contacts: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      .constraints, "chain-batch-\(name)",
      "a batch whose records collide in a chain gives the same records in each store (B276)",
      needs: [.uniqueness]
    ) { stage in
      let stack = try stage.open(makeModel())
      var known: [ObjectID] = []
      for line in stored {
        let object = try make(line, stack.context)
        try stack.context.save()
        known.append(object.objectID)
      }
      let request = BatchInsertRequest(entityName: "Contact", objects: lines.map(values))
      request.resultType = .objectIDs
      let ids = try require(try stack.context.execute(request).objectIDs, "the IDs")
      let places = ids.map { id in
        if let place = known.firstIndex(of: id) { return place }
        known.append(id)
        return known.count - 1
      }
      try expectEqual(places, wanted, "the records of the batch")
      try expectEqual(try TakeOverCases.contacts(stack), contacts, "the store")
    }
  }

  private static let chains: [ConformanceCase] = [
    chain(
      "store-trump", .mergeByPropertyStoreTrump, [("w", 2), ("x", 2), ("x", 1)],
      ["- w 2 0 - -", "- x 1 0 - -"]),
    chain(
      "rollback", .rollback, [("w", 2), ("x", 2), ("x", 1)], ["- w 2 0 - -", "- x 1 0 - -"]),
    chain(
      "object-trump", .mergeByPropertyObjectTrump, [("w", 2), ("x", 2), ("x", 1)],
      ["- x 1 0 - -"]),
    chain(
      "longer", .mergeByPropertyStoreTrump,
      [("v", 1), ("w", 1), ("w", 2), ("x", 2), ("x", 3), ("v", 3)],
      ["- v 1 0 - -", "- w 2 0 - -", "- x 3 0 - -"]),
    batch(
      "one", stored: [("y", 1)], [("y", 4), (nil, 4), ("y", 3)], [0, 0, 0], ["- y 3 0 - -"]),
    batch(
      "two", stored: [("w", 3)], [(nil, 2), ("x", 2), ("x", 3), ("w", nil)], [0, 0, 0, 0],
      ["- w 3 0 - -"]),
  ]
}
