// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

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

  // Sendable: written and read by the test's one thread.
  private final class Count: @unchecked Sendable {
    var value = 0
  }
}
