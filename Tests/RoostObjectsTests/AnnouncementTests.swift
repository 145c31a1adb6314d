// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostObjects

@Suite("What contexts hear of saves")
struct AnnouncementTests {
  @Test("a context that merges by itself does not merge its own saves (B218)")
  func ownSave() throws {
    let stack = try Stack()
    stack.context.automaticallyMergesChangesFromParent = true
    let count = Count()
    let token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: stack.context,
      queue: nil
    ) { _ in count.value += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    let team = Team(context: stack.context)
    try stack.context.save()
    team.title = "Gold"
    try stack.context.save()
    stack.context.processPendingChanges()
    #expect(count.value == 0)
    let other = stack.anotherContext()
    other.delete(other.object(with: team.objectID))
    try other.save()
    stack.context.processPendingChanges()
    #expect(count.value == 1)
  }

  @Test("both sides of a new link are announced, although no row of theirs was written (B213)")
  func links() throws {
    let stack = try Stack()
    let (team, guest) = (Team(context: stack.context), Guest(context: stack.context))
    try stack.context.save()
    let reader = stack.anotherContext()
    reader.automaticallyMergesChangesFromParent = true
    let same = try #require(reader.existingObject(with: team.objectID) as? Team)
    #expect(same.members.isEmpty)
    team.members = [guest]
    try stack.context.save()
    reader.processPendingChanges()
    #expect(same.members.count == 1)
  }

  @Test(
    "a context that does not merge for long keeps the names of stores, and then sees all of it (B218)"
  )
  func idleContext() throws {
    let stack = try Stack()
    let teams = (0..<12).map { _ in Team(context: stack.context) }
    try stack.context.save()
    let reader = stack.anotherContext()
    reader.automaticallyMergesChangesFromParent = true
    reader.inbox.setRecordLimit(10)
    let same = try teams.map { try #require(reader.existingObject(with: $0.objectID) as? Team) }
    #expect(same.allSatisfy { $0.title != "last" })
    for round in 0..<20 {
      for team in teams { team.title = round == 19 ? "last" : "\(round)" }
      try stack.context.save()
    }
    stack.context.delete(teams[0])
    try stack.context.save()
    #expect(reader.inbox.keptSaveCount <= 2)
    reader.processPendingChanges()
    #expect(same.dropFirst().allSatisfy { $0.title == "last" })
    #expect(same[0].managedObjectContext == nil || same[0].isDeleted)
    #expect(try reader.count(for: Team.fetchRequest()) == 11)
    #expect(reader.inbox.keptSaveCount == 0)
  }

  // Sendable: written and read by the test's one thread.
  private final class Count: @unchecked Sendable {
    var value = 0
  }
}
