// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// A number whose changes are undone.
private final class Counter {
  var value = 0
  let manager: ChangeUndoManager

  init(_ manager: ChangeUndoManager) {
    self.manager = manager
  }

  func set(_ new: Int) {
    let old = value
    manager.registerUndo(withTarget: self) { $0.set(old) }
    value = new
  }
}

@Suite struct UndoManagerTests {
  @Test("without an event's end, registrations are one group; an event's end begins another (B108)")
  func eventGroups() {
    let manager = ChangeUndoManager()
    let counter = Counter(manager)
    counter.set(1)
    counter.set(2)
    manager.closeEventGroup()
    counter.set(3)
    manager.undo()
    #expect(counter.value == 2)
    manager.undo()
    #expect(counter.value == 0)
    #expect(!manager.canUndo)
    manager.redo()
    #expect(counter.value == 2)
    manager.redo()
    #expect(counter.value == 3)
    #expect(!manager.canRedo)
  }

  @Test("without groups by event, a registration is a group by itself")
  func withoutEvents() {
    let manager = ChangeUndoManager()
    manager.groupsByEvent = false
    let counter = Counter(manager)
    counter.set(1)
    counter.set(2)
    #expect(manager.groupingLevel == 0)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test("groups nest; a nested one can be undone by itself, an empty one leaves nothing (B108)")
  func nestedGroups() {
    let manager = ChangeUndoManager()
    let counter = Counter(manager)
    manager.beginUndoGrouping()
    counter.set(1)
    manager.beginUndoGrouping()
    counter.set(2)
    counter.set(3)
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 1)
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    manager.beginUndoGrouping()
    counter.set(4)
    manager.endUndoGrouping()
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(!manager.canUndo)
  }

  @Test("what is registered while registration is disabled is dropped (B109)")
  func disabling() {
    let manager = ChangeUndoManager()
    let counter = Counter(manager)
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    manager.enableUndoRegistration()
    #expect(!manager.isUndoRegistrationEnabled)
    counter.set(1)
    manager.enableUndoRegistration()
    #expect(!manager.canUndo)
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test("actions have names, and a redo has the name of what was undone")
  func names() {
    let manager = ChangeUndoManager()
    let counter = Counter(manager)
    #expect(manager.undoMenuItemTitle == "Undo")
    counter.set(1)
    manager.setActionName("Count")
    manager.setActionIsDiscardable(true)
    manager.closeEventGroup()
    #expect(manager.undoActionName == "Count")
    #expect(manager.undoActionIsDiscardable)
    #expect(manager.undoMenuItemTitle == "Undo Count")
    manager.undo()
    #expect(manager.redoActionName == "Count")
    #expect(manager.redoMenuItemTitle == "Redo Count")
    #expect(manager.redoActionIsDiscardable)
    #expect(manager.undoActionName == "")
  }

  @Test("a target is not kept alive, and its actions can be forgotten")
  func targets() {
    let manager = ChangeUndoManager()
    var counter: Counter? = Counter(manager)
    let other = Counter(manager)
    weak let gone = counter
    counter?.set(1)
    counter = nil
    #expect(gone == nil)
    manager.undo()
    other.set(1)
    manager.closeEventGroup()
    manager.removeAllActions(withTarget: other)
    #expect(!manager.canUndo)
    other.set(2)
    manager.undo()
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo)
  }

  @Test("the oldest groups go when there are too many, and a new action ends redoing")
  func levels() {
    let manager = ChangeUndoManager()
    manager.groupsByEvent = false
    let counter = Counter(manager)
    for number in 1...5 { counter.set(number) }
    manager.levelsOfUndo = 2
    #expect(manager.undoCount == 2)
    counter.set(6)
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(manager.redoCount == 1)
    counter.set(7)
    #expect(manager.redoCount == 0)
  }

  @Test("a manager posts what it does, a checkpoint first")
  func notifications() {
    // Sendable: the manager posts on the thread of the test.
    final class Names: @unchecked Sendable { var list: [Notification.Name] = [] }
    let manager = ChangeUndoManager()
    let names = Names()
    let token = NotificationCenter.default.addObserver(
      forName: nil, object: manager, queue: nil
    ) { names.list.append($0.name) }
    defer { NotificationCenter.default.removeObserver(token) }
    Counter(manager).set(1)
    #expect(names.list == [ChangeUndoManager.didOpenUndoGroupNotification])
    names.list = []
    manager.undo()
    #expect(names.list.first == ChangeUndoManager.checkpointNotification)
    #expect(names.list.contains(ChangeUndoManager.willUndoChangeNotification))
    #expect(names.list.last == ChangeUndoManager.didUndoChangeNotification)
  }

  @Test("what others deleted, and was merged, is not this context's to undo (B108, B213)")
  func merged() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let employee = try stack.context.existingObject(with: id)
    stack.context.undoManager = ChangeUndoManager()
    let other = stack.anotherContext()
    other.delete(try other.existingObject(with: id))
    try other.save()
    var changes = ManagedObjectContext.ObjectIDChanges()
    changes.deletedObjectIDs = [id]
    stack.context.mergeChanges(changes)
    #expect(!stack.context.canUndo)
    stack.context.undo()
    #expect(employee.managedObjectContext == nil || employee.isDeleted || employee.isFault)
    #expect(try stack.context.fetch(Employee.fetchRequest()) == [])
  }
}
