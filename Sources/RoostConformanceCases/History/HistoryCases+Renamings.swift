// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// The past of properties whose names have changed more than once, or mean something else by now.
extension HistoryCases {
  /// A version of people: attributes with their renaming identifiers.
  private static func people(_ names: [(name: String, former: String?)]) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Person", names.map { .string($0.name) })
    for (name, former) in names {
      if let former { sketch["Person"].attribute(name).renamingIdentifier = former }
    }
    return sketch.make()
  }

  private static func renamed(
    _ name: String, _ title: String, _ body: @escaping @Sendable (ConformanceStage) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .history, name, title, needs: [.history, .reopening, .evolution], body: body)
  }

  /// The values of an attribute of all people.
  private static func texts(
    _ name: String, in context: ManagedObjectContext
  ) throws -> [String?] {
    try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map { try $0.text(name) }
  }

  /// Expects that the past cannot be read, and that the last transaction cannot be reverted.
  private static func expectUnknown(
    _ stack: ConformanceStack, _ token: PersistentHistoryToken
  ) throws {
    try expectError(.persistentHistoryTokenExpired, "the past") {
      _ = try texts("x", in: stack.past(token))
    }
    let last = try require(try stack.history().last, "the transaction")
    try expectError(.persistentHistoryTokenExpired, "the revert") {
      _ = try stack.context.revert(last)
    }
    try expect(!stack.context.hasChanges, "nothing is changed")
  }

  /// Opens a store with a person whose title was changed after the token.
  private static func retitled(
    _ stage: ConformanceStage
  ) throws -> (ConformanceStack, PersistentHistoryToken) {
    let stack = try stage.openKeepingValues(people([("title", nil), ("x", nil)]))
    let person = try stack.context.make("Person", ["title": "old", "x": "1"])
    try stack.context.save()
    let token = try stack.token()
    try person.set("title", "now")
    try stack.context.save()
    return (stack, token)
  }

  static let renamings: [ConformanceCase] = [
    renamed("values.renamed-twice", "values follow a property through its names (H19, L20, L22)") {
      stage in
      let stack = try stage.openKeepingValues(people([("a", nil), ("x", nil)]))
      let person = try stack.context.make("Person", ["a": "old", "x": "1"])
      try stack.context.save()
      let token = try stack.token()
      try person.set("a", "now")
      try stack.context.save()
      for (name, former) in [("b", "a"), ("c", "b")] {
        try stack.reopen(model: people([(name, former), ("x", nil)]))
        try expectEqual(try texts(name, in: stack.past(token)), ["old"])
        let update = try require(try stack.history().last?.changes?.first, "the update")
        try expectEqual(update.updatedProperties?.map(\.name), [name])
        try expectEqual(update.previousValues?[name], .string("old"))
      }
      // The identifier is not needed once the store has followed it.
      try stack.reopen(model: people([("c", nil), ("x", nil), ("y", nil)]))
      try expectEqual(try texts("c", in: stack.past(token)), ["old"])
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try texts("c", in: stack.context), ["old"])
    },
    renamed("values.names-exchanged", "exchanged names are refused, not mistaken (H19, L20, L22)") {
      stage in
      let stack = try stage.openKeepingValues(people([("a", nil), ("b", nil), ("x", nil)]))
      let person = try stack.context.make("Person", ["a": "a1", "b": "b1"])
      try stack.context.save()
      let token = try stack.token()
      try person.set("a", "a2")
      try stack.context.save()
      // Exchanged names alone are no other version.
      try stack.reopen(model: people([("a", "b"), ("b", "a"), ("x", nil), ("y", nil)]))
      try expectEqual(try texts("a", in: stack.context), ["b1"])
      try expectUnknown(stack, token)
      let update = try require(try stack.history().last?.changes?.first, "the update")
      try expectEqual(update.updatedProperties?.map(\.name).sorted(), ["a", "b"], "one of them")
      try expectEqual(update.previousValues?.isEmpty, true)
      // Unchanged names have one meaning only.
      let later = try stack.token()
      let again = FetchRequest<ManagedObject>(entityName: "Person")
      try stack.context.fetch(again).first?.set("x", "new")
      try stack.context.save()
      try expectEqual(try texts("x", in: stack.past(later)), [nil])
    },
    renamed("values.name-reused", "a name that is used again is refused (H19, L20, L22)") { stage in
      let (stack, token) = try retitled(stage)
      try stack.reopen(
        model: people([("heading", "title"), ("title", "new title"), ("x", nil)]))
      try expectEqual(try texts("heading", in: stack.context), ["now"])
      try expectUnknown(stack, token)
    },
    renamed("values.name-removed", "a new property has no values of a removed one (H19, L22)") {
      stage in
      let (stack, token) = try retitled(stage)
      try stack.reopen(model: people([("x", nil)]))
      try expectEqual(try texts("x", in: stack.past(token)), ["1"])
      try stack.reopen(model: people([("title", nil), ("x", nil), ("y", nil)]))
      try expectEqual(try texts("title", in: stack.context), [nil])
      try expectUnknown(stack, token)
    },
  ]
}
