// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("What a merge tells")
struct MergedDeletionTests {
  @Test("a merged deletion stands in deletedObjects until changes are processed (B346)")
  func deletion() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let person = stack.context.object(with: id)
    _ = try person.value(forKey: "name")
    var changes = ManagedObjectContext.ObjectIDChanges()
    let other = stack.anotherContext()
    other.delete(other.object(with: id))
    try other.save()
    changes.deletedObjectIDs = [id]
    stack.context.mergeChanges(changes)
    #expect(stack.context.deletedObjects == [person])
    #expect(!stack.context.hasChanges)
    stack.context.processPendingChanges()
    #expect(stack.context.deletedObjects.isEmpty)
    try stack.context.save()
  }
}
