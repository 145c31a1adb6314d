// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

/// A child context for steps, and the state of the walk when it was opened.
struct ChildFrame {
  let child: ManagedObjectContext
  /// The state of the parent, which does not change while the child is open.
  let base: OracleState
  let touched: [Int: Set<String>]
  let related: Set<Int>
  let moved: Set<Int>
  let ids: [Int: ObjectID]
}

// Child contexts: one step opens a child, the following steps run in it, and it is saved or discarded.
extension Walker {
  /// The context of the steps.
  var context: ManagedObjectContext { frames.last?.child ?? stack.context }

  /// The state below the context: the parent's, or the store's.
  var below: OracleState { frames.last?.base ?? stored }

  func openChild() {
    guard frames.count < 3 else { return }
    let child = ManagedObjectContext(.privateQueue, parent: context)
    frames.append(
      ChildFrame(
        child: child, base: current, touched: touched, related: related, moved: moved, ids: ids))
  }

  func closeChild(_ step: WalkStep) throws {
    guard !frames.isEmpty else { return }
    if step.first % 3 == 0 { try dropChild() } else { try saveChild() }
  }

  /// The child's changes become changes of its parent, and the store does not hear of it (B200, B206, B208).
  func saveChild() throws {
    guard let frame = frames.last else { return }
    try frame.child.save()
    try expect(!frame.child.hasChanges, "the child has no changes after its save (B206)")
    try compareGraph()
    frames.removeLast()
    // The parent's undo reverts the child's save as a whole; the walk only handles steps of one context.
    forgetHistory()
    if current.records != below.records {
      try expect(context.hasChanges, "the parent has the child's changes (B206)")
    }
    learn(from: frame.child)
    try compareGraph()
    try compareStore()
  }

  /// A child that is forgotten leaves its parent as it was (B205).
  func dropChild() throws {
    guard let frame = frames.popLast() else { return }
    backTo(frame)
    try compareGraph()
  }

  /// Discards the changes made in a child.
  func backTo(_ frame: ChildFrame) {
    (current, touched, related, moved) = (frame.base, frame.touched, frame.related, frame.moved)
    ids = frame.ids
  }

  func rollbackChild(_ frame: ChildFrame) throws {
    frame.child.rollback()
    try expect(!frame.child.hasChanges, "the child has no changes after a rollback (I6)")
    backTo(frame)
    try compareGraph()
  }

  /// Keeps a child with all of its objects, to check what they merge when the root is saved.
  private func learn(from child: ManagedObjectContext) {
    child.retainsRegisteredObjects = true
    learners.append(child)
    if learners.count > 2 { learners.removeFirst() }
  }

  /// The objects of children know their permanent IDs once the root is saved (B207).
  func checkLearners() throws {
    for child in learners {
      for serial in current.all {
        guard let id = ids[serial], let object = child.registeredObject(for: id) else { continue }
        try expectEqual(object.objectID, id, "the ID of \(serial) in a child (B207)")
      }
    }
    learners = []
  }
}
