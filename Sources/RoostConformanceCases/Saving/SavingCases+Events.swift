// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

/// An object that records its life-cycle calls in the diary of its context.
final class DiaryObject: ManagedObject {
  private func note(_ event: String) {
    let name = (try? text("name")) ?? "-"
    (managedObjectContext?.userInfo["diary"] as? Diary)?.note("\(event) \(name)")
  }

  override func awakeFromInsert() { note("awakeFromInsert") }
  override func awakeFromFetch() { note("awakeFromFetch") }
  override func prepareForDeletion() { note("prepareForDeletion") }
  override func didSave() { note(isDeleted ? "didSave deleted" : "didSave") }
  override func willTurnIntoFault() { note("willTurnIntoFault") }

  override func willSave() {
    note(isDeleted ? "willSave deleted" : "willSave")
    guard let diary = managedObjectContext?.userInfo["diary"] as? Diary, diary.stamps else {
      return
    }
    if (try? number("stamp")) == nil { try? set("stamp", 1) }
  }
}

/// The events of a case, in order.
final class Diary: Sendable {
  private let state = Mutex<[String]>([])
  /// Whether objects change themselves in willSave.
  let stamps: Bool

  init(stamps: Bool = false) {
    self.stamps = stamps
  }

  func note(_ event: String) {
    state.withLock { $0.append(event) }
  }

  /// The events since the last call.
  func take() -> [String] {
    state.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

extension SavingCases {
  private static func diary(
    _ name: String, _ title: String, stamps: Bool = false,
    _ body: @escaping @Sendable (ConformanceStack, Diary) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.saving, name, title) { stage in
      var sketch = ModelSketch()
      sketch.add("Entry", [.string("name"), .integer("stamp")], class: DiaryObject.self)
      sketch.relate(
        .init("Entry", "children", .many, rule: .cascade), .init("Entry", "parent", .one))
      let stack = try stage.open(sketch.make())
      let diary = Diary(stamps: stamps)
      stack.context.userInfo["diary"] = diary
      try body(stack, diary)
    }
  }

  static let events: [ConformanceCase] = [
    diary(
      "events.insert", "an insertion wakes once, then willSave and didSave follow (B19, B161)"
    ) {
      stack, diary in
      try stack.context.make("Entry", ["name": "a"])
      try expectEqual(diary.take(), ["awakeFromInsert -"])
      try stack.context.save()
      try expectEqual(diary.take(), ["willSave a", "didSave a"])
    },
    diary(
      "events.order", "willSave comes to all objects before didSave to any (B161)"
    ) { stack, diary in
      for name in ["a", "b"] { try stack.context.make("Entry", ["name": name]) }
      _ = diary.take()
      try stack.context.save()
      let events = diary.take()
      try expectEqual(events.prefix(2).sorted(), ["willSave a", "willSave b"])
      try expectEqual(events.suffix(2).sorted(), ["didSave a", "didSave b"])
    },
    diary(
      "events.delete", "a deletion prepares, and is saved like the rest (B83, B165)"
    ) { stack, diary in
      let entry = try stack.context.make("Entry", ["name": "a"])
      try stack.context.save()
      _ = diary.take()
      stack.context.delete(entry)
      try expectEqual(diary.take(), ["prepareForDeletion a"])
      try stack.context.save()
      let events = diary.take()
      try expectEqual(events.first, "willSave deleted a", "the first event of the save")
      try expect(events.contains { $0.hasPrefix("didSave") }, "didSave follows")
    },
    diary("events.cascade", "cascaded deletions prepare, too (B83, B86)") { stack, diary in
      let parent = try stack.context.make("Entry", ["name": "p"])
      try stack.context.make("Entry", ["name": "c", "parent": parent])
      try stack.context.save()
      _ = diary.take()
      stack.context.delete(parent)
      stack.context.processPendingChanges()
      try expectEqual(diary.take(), ["prepareForDeletion p", "prepareForDeletion c"])
    },
    diary("events.fetch", "each fulfilment of a fault wakes (B48)") { stack, diary in
      let entry = try stack.context.make("Entry", ["name": "a"])
      try stack.context.save()
      _ = diary.take()
      try stack.context.refresh(entry, mergeChanges: false)
      try expectEqual(diary.take(), ["willTurnIntoFault a"])
      _ = try entry.get("name")
      try expectEqual(diary.take(), ["awakeFromFetch a"])
    },
    diary(
      "events.change-in-will-save", "what willSave changes is part of the save (B162)", stamps: true
    ) { stack, diary in
      try stack.context.make("Entry", ["name": "a"])
      try stack.context.save()
      try expect(!stack.context.hasChanges, "nothing is left")
      try stack.readAnew()
      try expectExact(try stack.context.named("Entry", "a").get("stamp"), .integer(1))
    },
    diary("events.no-changes", "a save without changes calls nobody (B104)") { stack, diary in
      try stack.context.make("Entry", ["name": "a"])
      try stack.context.save()
      _ = diary.take()
      try stack.context.save()
      try expectEqual(diary.take(), [])
    },
    diary("events.failed-validation", "an invalid save never comes to didSave (B156, B161)") {
      stack, diary in
      let entry = try stack.context.make("Entry", ["name": "a"])
      try entry.set("stamp", 1)
      try stack.context.make("Entry", ["name": "nul\0"])
      _ = diary.take()
      try expectError(.invalidValue) { try stack.context.save() }
      try expect(!diary.take().contains { $0.hasPrefix("didSave") }, "there is no didSave")
    },
  ]
}
