// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite struct RefreshTests {
  @Test("each time a fault comes and goes, the object is told (B47, B118)")
  func pairs() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.title = "a"
    try stack.context.save()
    witness.calls = []
    for _ in 0..<2 {
      try stack.context.refresh(witness, mergeChanges: false)
      #expect(witness.title == "a")
    }
    let pair = ["willTurnIntoFault false", "didTurnIntoFault true", "awakeFromFetch"]
    #expect(witness.calls == pair + pair)
    #expect(!stack.context.hasChanges)
  }

  @Test("refreshing everything keeps changes, new objects and references (B117, B119)")
  func refreshAll() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let other = Team(context: stack.context)
    try stack.context.save()
    team.title = "Gold"
    let new = Team(context: stack.context)
    new.title = "New"
    try stack.context.refreshAllObjects()
    try stack.context.refresh(new, mergeChanges: true)
    #expect(team.title == "Gold")
    #expect(team.isUpdated)
    #expect(new.title == "New")
    #expect(new.isInserted)
    #expect(other.isFault)
    try stack.context.save()
  }

  @Test("a deleted object cannot be brought back in didSave (B95)")
  func noResurrection() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    try stack.context.save()
    witness.onDidSave = { $0.managedObjectContext?.insert($0) }
    stack.context.delete(witness)
    try stack.context.save()
    #expect(witness.managedObjectContext == nil)
    #expect(!stack.context.hasChanges)
    #expect(try stack.context.fetch(Witness.fetchRequest()).isEmpty)
  }

  @Test("what awakeFromInsert sets below the change tracking is no change to undo (B21, B22)")
  func baseline() throws {
    let stack = try Stack()
    stack.context.undoManager = ChangeUndoManager()
    let witness = Witness(context: stack.context)
    #expect(witness.changedValues()["stamp"] as? Int == 5)
    stack.context.processPendingChanges()
    witness.stamp = 6
    stack.context.undo()
    #expect(witness.stamp == 5)
    stack.context.undo()
    stack.context.redo()
    #expect(witness.stamp == 5)
    #expect(witness.calls.count { $0 == "awakeFromInsert" } == 1)
  }

  @Test("transient values are undone with the others, and make no change of the record (B59, B110)")
  func transients() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    stack.context.undoManager = ChangeUndoManager()
    person.draft = "first"
    stack.context.processPendingChanges()
    person.draft = "second"
    stack.context.undo()
    #expect(person.draft == "first")
    stack.context.undo()
    #expect(person.draft == nil)
    #expect(!stack.context.hasChanges)
    stack.context.redo()
    #expect(person.draft == "first")
    try stack.context.save()
    #expect(person.draft == "first")
  }
}
