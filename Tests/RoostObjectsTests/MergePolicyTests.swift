// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostObjects

/// Tests of the pure part of the merge policies, and of their classes.
@Suite struct MergePolicyTests {
  private struct Rows {
    let base: Row
    let mine: Row
    let theirs: Row
    let slots: [RowSlot]

    init() throws {
      let model = try Stack.makeModel()
      _ = try PersistentStoreCoordinator(managedObjectModel: model)
      let layout = try #require(model.entitiesByName["Guest"]).layout
      let name = try #require(layout.slot(named: "name"))
      let room = try #require(layout.slot(named: "room"))
      slots = [name, room]
      base = Row(layout: layout, key: 1, version: 1)
      base.setString("base", at: name)
      base.setInteger(1, at: room)
      mine = base.copy()
      theirs = base.copy(version: 2)
    }
  }

  @Test("what one side changed stands, and where both did one side wins (B179, B180)")
  func threeWays() throws {
    let rows = try Rows()
    let (name, room) = (rows.slots[0], rows.slots[1])
    rows.mine.setString("mine", at: name)
    rows.theirs.setString("theirs", at: name)
    rows.theirs.setInteger(2, at: room)
    let store = RowMerge(base: rows.base, mine: rows.mine, theirs: rows.theirs, winner: .store)
    #expect(store.merged(rows.slots).row.string(name) == "theirs")
    #expect(store.merged(rows.slots).kept.isEmpty)
    let object = RowMerge(base: rows.base, mine: rows.mine, theirs: rows.theirs, winner: .object)
    let merged = object.merged(rows.slots)
    #expect(merged.row.string(name) == "mine")
    #expect(merged.row.integer(room) == 2)
    #expect(merged.row.version == 2)
    #expect(merged.kept.indices == [name.index])
  }

  @Test("a value that both changed alike is kept, nil as well (B180)")
  func nilValues() throws {
    let rows = try Rows()
    let name = rows.slots[0]
    rows.mine.setNull(name)
    let store = RowMerge(base: rows.base, mine: rows.mine, theirs: rows.theirs, winner: .store)
    #expect(store.merged(rows.slots).row.isNull(name))
    rows.theirs.setNull(name)
    #expect(store.merged(rows.slots).row.isNull(name))
  }

  @Test("types have Core Data's numbers, and the singletons their types")
  func types() {
    #expect(MergePolicyType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(MergePolicy.error.mergeType == .errorMergePolicyType)
    #expect(MergePolicy.rollback.mergeType.rawValue == 4)
    #expect(MergePolicyType(rawValue: 7) == nil)
  }

  // Sendable: the test has one thread.
  private final class Recording: MergePolicy, @unchecked Sendable {
    // Written and read by the test's one thread.
    nonisolated(unsafe) var calls: [String] = []
    override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
      calls.append("versions \(list.count)")
      try super.resolve(optimisticLockingConflicts: list)
    }
    override func resolve(constraintConflicts list: [ConstraintConflict]) throws {
      calls.append("values \(list.count)")
      try super.resolve(constraintConflicts: list)
    }
  }

  @Test("a policy resolves versions, then values (B186, B192)")
  func order() throws {
    let stack = try Stack()
    let people = ["a", "b"].map { name in
      let person = Employee(context: stack.context)
      person.name = name
      return person
    }
    try stack.context.save()
    let policy = Recording(merge: .rollbackMergePolicyType)
    let conflict = MergeConflict(
      source: people[0], newVersion: 2, oldVersion: 1, cachedSnapshot: ["name": "c"],
      persistedSnapshot: nil)
    let constraint = ConstraintConflict(
      constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: people,
      conflictingSnapshots: [])
    people[0].age = 5
    try policy.resolve(mergeConflicts: [constraint, conflict])
    #expect(policy.calls == ["versions 1", "values 1"])
    #expect(people[0].name == "c")
    #expect(people[0].age == 0)
    #expect(conflict.objectSnapshot?["name"] as? String == "a")
  }

  @Test("an object that a policy changed is told so (B185)")
  func awakening() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.title = "a"
    try stack.context.save()
    let other = stack.anotherContext()
    let theirs = try #require(try other.existingObject(with: witness.objectID) as? Witness)
    theirs.stamp = 9
    try other.save()
    witness.title = "b"
    stack.context.mergePolicy = .mergeByPropertyObjectTrump
    witness.calls = []
    try stack.context.save()
    #expect(witness.calls.contains("snapshot \(SnapshotEventType.mergePolicy.rawValue)"))
    #expect(witness.stamp == 9)
  }

  /// A rival that saves first each time.
  // Sendable: the test has one thread.
  private final class Rival: MergePolicy, @unchecked Sendable {
    let context: ManagedObjectContext
    let id: ObjectID
    // Written and read by the test's one thread.
    nonisolated(unsafe) var count: Int32 = 0

    init(_ context: ManagedObjectContext, _ id: ObjectID) {
      self.context = context
      self.id = id
      super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
      try super.resolve(optimisticLockingConflicts: list)
      count += 1
      let theirs = try context.existingObject(with: id)
      try theirs.setValue(count % 100, forKey: "age")
      try context.save()
    }
  }

  @Test("a save that is overtaken again and again gives up with the conflict (B187)")
  func bounded() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let mine = try #require(try stack.context.existingObject(with: id) as? Employee)
    mine.name = "mine"
    let other = stack.anotherContext()
    let theirs = try #require(try other.existingObject(with: id) as? Employee)
    theirs.age = 99
    try other.save()
    let rival = Rival(other, id)
    stack.context.mergePolicy = rival
    #expect(code { try stack.context.save() } == .managedObjectMerge)
    #expect(rival.count == ManagedObjectContext.saveAttempts - 1)
    #expect(stack.context.hasChanges)
    stack.context.mergePolicy = .mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(try stack.storedNames() == ["mine"])
  }
}
