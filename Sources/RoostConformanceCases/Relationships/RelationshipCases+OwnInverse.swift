// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

// Relationships that are their own inverse, also of an object with itself.
extension RelationshipCases {
  private typealias End = ModelSketch.End

  private static func model() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Person", [.string("name")])
    sketch.relateToItself(End("Person", "partner", .one))
    sketch.relateToItself(End("Person", "friends", .many))
    return sketch.make()
  }

  private static let count = 3

  private static func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    try (0..<count).map { try context.make("Person", ["name": "p\($0)"]) }
  }

  /// The numbers in the base of a count of steps: a sequence of steps.
  private static func steps(_ code: Int, of choices: Int, length: Int) -> [Int] {
    var rest = code
    return (0..<length).map { _ in
      defer { rest /= choices }
      return rest % choices
    }
  }

  /// The partners after each object got the one that is given; nil for none.
  private static func partners(after steps: [(of: Int, is: Int?)]) -> [Int?] {
    var partners = [Int?](repeating: nil, count: count)
    for (of, new) in steps where partners[of] != new {
      if let old = partners[of] { partners[old] = nil }
      partners[of] = nil
      guard let new else { continue }
      if let previous = partners[new] { partners[previous] = nil }
      (partners[of], partners[new]) = (new, of)
    }
    return partners
  }

  private static func found(_ people: [ManagedObject]) throws -> [Int?] {
    let names = try people.map { try $0.one("partner")?.text("name") }
    return names.map { name in name.flatMap { Int($0.dropFirst()) } }
  }

  static let ownInverse: [ConformanceCase] = [
    ConformanceCase(
      .relationships, "own-inverse.one",
      "a pair of a relationship to one that is its own inverse has two sides, or is one object (B65, B67)"
    ) { stage in
      let stack = try stage.open(model())
      let choices = count * (count + 1)
      for code in 0..<(choices * choices * choices) {
        let steps = steps(code, of: choices, length: 3).map { choice -> (of: Int, is: Int?) in
          let partner = choice / count
          return (choice % count, partner < count ? partner : nil)
        }
        let context = stack.makeContext()
        let people = try people(context)
        for (of, new) in steps { try people[of].set("partner", new.map { people[$0] }) }
        try expectEqual(try found(people), partners(after: steps), "after \(steps)")
      }
    },
    ConformanceCase(
      .relationships, "own-inverse.saved",
      "an object that was its own partner has the other one after it was saved, undone and deleted (B65, B67)"
    ) { stage in
      let stack = try stage.open(model())
      let people = try people(stack.context)
      try people[0].set("partner", people[0])
      try stack.context.save()
      try stack.readAnew()
      func read() throws -> [ManagedObject] {
        try (0..<count).map { try stack.context.named("Person", "p\($0)") }
      }
      var now = try read()
      try expectEqual(try found(now), [0, nil, nil], "its own partner")
      stack.context.undoManager = ChangeUndoManager()
      try now[1].set("partner", now[0])
      stack.context.processPendingChanges()
      try expectEqual(try found(now), [1, 0, nil], "the new partner")
      stack.context.undo()
      try expectEqual(try found(now), [0, nil, nil], "undone")
      stack.context.redo()
      try expectEqual(try found(now), [1, 0, nil], "redone")
      try stack.context.save()
      try stack.readAnew()
      now = try read()
      try expectEqual(try found(now), [1, 0, nil], "saved")
      try now[0].set("partner", now[0])
      try stack.context.save()
      try stack.readAnew()
      now = try read()
      try expectEqual(try found(now), [0, nil, nil], "its own again")
      stack.context.delete(now[0])
      try stack.context.save()
      try expectEqual(try stack.context.names("Person"), ["p1", "p2"])
    },
    ConformanceCase(
      .relationships, "own-inverse.many",
      "links of a relationship to many that is its own inverse have two sides (B65, B77)"
    ) { stage in
      let stack = try stage.open(model())
      let choices = 2 * count * count
      for code in 0..<(choices * choices) {
        let context = stack.makeContext()
        let people = try people(context)
        var friends = [Set<Int>](repeating: [], count: count)
        for step in steps(code, of: choices, length: 2) + [0, count * count] {
          let (left, right) = (step % count, step / count % count)
          if step < count * count {
            try people[left].add(people[right], to: "friends")
            friends[left].insert(right)
            friends[right].insert(left)
          } else {
            try people[left].remove(people[right], from: "friends")
            friends[left].remove(right)
            friends[right].remove(left)
          }
          try expectEqual(
            try people.map { try $0.names("friends") },
            friends.map { $0.sorted().map { "p\($0)" } }, "step \(step) of \(code)")
        }
      }
    },
  ]
}
