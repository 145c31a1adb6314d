// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Remedies after a save was refused because another coordinator or process had saved first: each remedy of the
// documentation shows the values of the store, and the next save succeeds (B362).
extension ConflictCases {
  /// A remedy for a conflict: the program's calls with the context and the error.
  private struct Way {
    let name: String
    let words: String
    /// The value with which the next attempt begins: 100 is the other's, 1 is the own unsaved one.
    let seen: Int64
    let take:
      @Sendable (inout ManagedObjectContext, PersistenceError, ConformanceStack) throws -> Void
  }

  private static let ways: [Way] = [
    Way(name: "refresh", words: "refresh(_:mergeChanges: false)", seen: 100) { context, error, _ in
      for id in error.objectIDs {
        try context.refresh(context.object(with: id), mergeChanges: false)
      }
    },
    Way(name: "merge", words: "refresh(_:mergeChanges: true)", seen: 1) { context, error, _ in
      for id in error.objectIDs {
        try context.refresh(context.object(with: id), mergeChanges: true)
      }
    },
    Way(name: "rollback", words: "rollback()", seen: 100) { context, _, _ in context.rollback() },
    Way(name: "rollback-refresh", words: "rollback() and refresh", seen: 100) { context, error, _ in
      context.rollback()
      for id in error.objectIDs {
        try context.refresh(context.object(with: id), mergeChanges: false)
      }
    },
    Way(name: "all", words: "refreshAllObjects()", seen: 1) { context, _, _ in
      try context.refreshAllObjects()
    },
    Way(name: "rollback-all", words: "rollback() and refreshAllObjects()", seen: 100) {
      context, _, _ in
      context.rollback()
      try context.refreshAllObjects()
    },
    Way(name: "reset", words: "reset()", seen: 100) { context, _, _ in context.reset() },
    Way(name: "staleness", words: "a stalenessInterval of 0 and a refresh", seen: 100) {
      context, _, _ in
      context.rollback()
      context.stalenessInterval = 0
      try context.refreshAllObjects()
    },
    Way(name: "context", words: "a new context", seen: 100) { context, _, stack in
      context = stack.makeContext()
    },
    Way(name: "child", words: "a child of a new context", seen: 100) { context, _, stack in
      let parent = stack.makeContext()
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      _ = try child.named("Department", "Void").many("people").map { try $0.number("age") }
      context = parent
    },
  ]

  static let waysOut: [ConformanceCase] =
    ways.map(changed) + ways.map(deleted) + ways.map(inTurns)
    + [locked, taken, batch, policies, lostAnswer]

  /// Eve, the only one in the department: her row is not fetched again, but found through the relationship.
  private static func eve(_ context: ManagedObjectContext) throws -> ManagedObject? {
    let people = try context.named("Department", "Void").many("people")
    try expect(people.count < 2, "the department has one person at the most")
    return people.first
  }

  /// Two coordinators on one store, which both have read Eve.
  private static func two(
    _ stage: ConformanceStage
  ) throws -> (ConformanceStack, ConformanceStack) {
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let eve = try stack.context.named("Person", "Eve")
    try eve.set("age", 0)
    try eve.set("department", try stack.context.named("Department", "Void"))
    try stack.context.save()
    let other = try stage.open(stack.model, on: stack.stores)
    try expectEqual(try self.eve(other.context)?.number("age"), 0)
    return (stack, other)
  }

  private static func changed(_ way: Way) -> ConformanceCase {
    ConformanceCase(
      .conflicts, "way-out.\(way.name)",
      "after a conflict with another coordinator \(way.words) shows what is stored (B362)",
      needs: [.secondHandle]
    ) { stage in
      let (stack, other) = try two(stage)
      var context = stack.makeContext()
      let mine = try require(try eve(context))
      try mine.set("age", 1)
      try require(try eve(other.context)).set("age", 100)
      try other.context.save()
      let error = try expectError(.managedObjectMerge, "the save") { try context.save() }
      try expectEqual(error.objectIDs, [mine.objectID], "the objects in conflict")
      try way.take(&context, error, stack)
      let again = try require(try eve(context))
      try expectEqual(try again.number("age"), way.seen, "the value of the next attempt")
      try again.set("age", 2)
      try context.save()
      try expectEqual(try other.storedNumber("age", ofPerson: "Eve"), 2)
    }
  }

  /// The other one has deleted the record.
  private static func deleted(_ way: Way) -> ConformanceCase {
    ConformanceCase(
      .conflicts, "way-out.deleted.\(way.name)",
      "after another coordinator has deleted a record \(way.words) shows that it is gone (B362)",
      needs: [.secondHandle]
    ) { stage in
      let (stack, other) = try two(stage)
      var context = stack.makeContext()
      let mine = try require(try eve(context))
      try mine.set("age", 1)
      other.context.delete(try require(try eve(other.context)))
      try other.context.save()
      let error = try expectError(.managedObjectMerge, "the save") { try context.save() }
      do {
        try way.take(&context, error, stack)
      } catch let error as PersistenceError where error.code == .objectReferentialIntegrity {
        // The object stays as it is, and the program decides: here it discards its changes.
        try context.refresh(mine, mergeChanges: false)
      }
      if mine.managedObjectContext === context, mine.hasChanges {
        try context.refresh(mine, mergeChanges: false)
      }
      try expectEqual(try context.names("Person", "name == 'Eve'"), [], "what a fetch finds")
      try context.named("Person", "Ada").set("age", 3)
      try context.save()
      try expectEqual(try other.storedNumber("age", ofPerson: "Ada"), 3)
    }
  }

  /// The other one writes before each of our attempts but the last.
  private static func inTurns(_ way: Way) -> ConformanceCase {
    ConformanceCase(
      .conflicts, "way-out.loop.\(way.name)",
      "a loop of \(way.words), change and save ends when the other writer pauses (B362)",
      needs: [.secondHandle]
    ) { stage in
      let (stack, other) = try two(stage)
      var context = stack.makeContext()
      for round in 1...4 {
        let mine = try require(try eve(context))
        try mine.set("age", 1)
        if round < 4 {
          let theirs = try require(try eve(other.context))
          try theirs.set("age", 100 * round)
          try other.context.save()
          let error = try expectError(.managedObjectMerge, "attempt \(round)") {
            try context.save()
          }
          try way.take(&context, error, stack)
        } else {
          try context.save()
        }
      }
      try expectEqual(try other.storedNumber("age", ofPerson: "Eve"), 1)
    }
  }

  private static let locked = ConformanceCase(
    .conflicts, "way-out.checked",
    "a record that was only checked and has changed is read anew after a rollback (B174, B362)",
    needs: [.secondHandle]
  ) { stage in
    let (stack, other) = try two(stage)
    let context = stack.makeContext()
    let mine = try require(try eve(context))
    context.detectConflicts(for: mine)
    try context.named("Person", "Ada").set("age", 1)
    try require(try eve(other.context)).set("age", 100)
    try other.context.save()
    try expectError(.managedObjectMerge, "the save") { try context.save() }
    context.rollback()
    try expectEqual(try mine.number("age"), 100, "the value after the rollback")
    context.detectConflicts(for: mine)
    try context.named("Person", "Ada").set("age", 1)
    try context.save()
    try expectEqual(try stack.storedNumber("age", ofPerson: "Eve"), 100)
  }

  private static let taken = ConformanceCase(
    .conflicts, "way-out.taken",
    "who has a unique value that was taken is read as the store has it (B190, B362)",
    needs: [.secondHandle, .uniqueness]
  ) { stage in
    let stack = try stage.open(UniqueModel.make())
    let first = try stack.context.make("Account", ["name": "first", "email": "a"])
    try stack.context.save()
    let other = try stage.open(stack.model, on: stack.stores)
    try other.context.named("Account", "first").set("email", "b")
    try other.context.save()
    try stack.context.make("Account", ["name": "second", "email": "b"])
    try expectError(.managedObjectConstraintMerge, "the save") { try stack.context.save() }
    let fresh = stack.makeContext()
    try withExtendedLifetime(fresh) {
      let holder = fresh.object(with: first.objectID)
      try expectEqual(try holder.text("email"), "b", "the value of the record that has it")
    }
  }

  private static let batch = ConformanceCase(
    .conflicts, "way-out.batch",
    "a batch update that another coordinator overtakes shows what it has written (B272, B362)",
    needs: [.secondHandle]
  ) { stage in
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let other = try stage.open(stack.model, on: stack.stores)
    let coordinator = other.coordinator
    faults.interrupt(.commit) {
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      guard let eve = try? context.named("Person", "Eve") else { return }
      try? eve.set("salary", 7)
      try? context.save()
    }
    let request = BatchUpdateRequest(entityName: "Person")
    request.predicate = try FetchPredicate(format: "name == %@", argumentArray: ["Eve"])
    request.propertiesToUpdate = ["age": 9]
    try stack.context.execute(request)
    let fresh = stack.makeContext()
    let eve = try fresh.named("Person", "Eve")
    try expectEqual(try eve.number("age"), 9, "what the request has written")
    try expectEqual(try eve.get("salary"), .double(7), "what the other has written")
    try eve.set("age", 10)
    try fresh.save()
  }

  private static let policies = ConformanceCase(
    .conflicts, "way-out.policy",
    "a merge policy writes what it has merged with another coordinator's change (B180, B362)",
    needs: [.secondHandle]
  ) { stage in
    let (stack, other) = try two(stage)
    other.context.stalenessInterval = 0
    for (round, type) in [
      MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ].enumerated() {
      let context = stack.makeContext()
      context.mergePolicy = type
      try require(try eve(context)).set("age", 1)
      let theirs = try require(try eve(other.context))
      try theirs.set("age", 100 + round)
      try other.context.save()
      try context.save()
      let stored = try stack.storedNumber("age", ofPerson: "Eve")
      try expectEqual(stored, [1, 101, 1, 103][round], "the value after round \(round)")
      let fresh = stack.makeContext()
      try expectEqual(try eve(fresh)?.number("age"), stored, "what a new context reads")
      try other.context.refreshAllObjects()
    }
  }

  private static let lostAnswer = ConformanceCase(
    .conflicts, "way-out.derived",
    "after an answer that is lost what is derived is read from the store (B308, B362)"
  ) { stage in
    let (stack, faults) = try stage.openFaulty(ShopModel.make())
    let order = try stack.context.make("Order", ["name": "First"])
    try stack.context.save()
    let reader = stack.makeContext()
    try expectEqual(try reader.object(with: order.objectID).number("itemCount"), 0)
    let writer = stack.makeContext()
    try writer.make("Item", ["name": "pen", "order": writer.object(with: order.objectID)])
    faults.fail(.answer)
    try expectError(.commitOutcomeUnknown, "the save") { try writer.save() }
    let fresh = stack.makeContext()
    try withExtendedLifetime(fresh) {
      try expectEqual(try fresh.object(with: order.objectID).number("itemCount"), 1)
    }
  }
}
