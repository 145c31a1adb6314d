// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@testable import RoostObjects

@Suite("The first use of a context that merges on its queue until then")
struct FirstUseTests {
  /// Uses of a context, each as its first one. A debug build traps in the first one that accesses the context before
  /// the queue has handed it to the caller.
  private static let uses:
    [String: @Sendable (ManagedObjectContext, ManagedObject) throws -> Void] = [
      "init(context:)": { context, _ in _ = Department(context: context) },
      "init(entity:insertInto:)": { context, other in
        _ = Department(entity: other.entity, insertInto: context)
      },
      "count(for:)": { context, _ in
        _ = try context.count(for: FetchRequest<Department>(entityName: "Department"))
      },
      "delete(_:)": { context, other in context.delete(context.object(with: other.objectID)) },
      "deletedObjects": { context, _ in _ = context.deletedObjects },
      "detectConflicts(for:)": { context, other in
        context.detectConflicts(for: try context.existingObject(with: other.objectID))
      },
      "execute(_:)": { context, _ in
        _ = try context.execute(
          BatchDeleteRequest(fetchRequest: FetchRequest<Department>(entityName: "Department")))
      },
      "execute(_:), asynchronously": { context, _ in
        let request = FetchRequest<Department>(entityName: "Department")
        _ = try context.execute(
          AsynchronousFetchRequest(fetchRequest: request, completionBlock: nil))
      },
      "existingObject(with:)": { context, other in
        _ = try context.existingObject(with: other.objectID)
      },
      "fetch(_:)": { context, _ in
        _ = try context.fetch(FetchRequest<Department>(entityName: "Department"))
      },
      "fetch of IDs": { context, other in
        _ = try context.fetch(FetchRequest<ObjectID>(entityName: "Department"))
      },
      "fetch of dictionaries": { context, other in
        _ = try context.fetch(FetchRequest<[String: Any]>(entityName: "Department"))
      },
      "fetchBatches": { context, _ in
        _ = try context.makeBatches(of: FetchRequest<Department>(entityName: "Department"))
      },
      "explain": { context, _ in
        _ = try context.makeExplanation(of: FetchRequest<Department>(entityName: "Department"))
      },
      "hasChanges": { context, _ in _ = context.hasChanges },
      "hasUndo": { context, _ in _ = context.hasUndo },
      "insert(_:)": { context, other in
        context.insert(Department(entity: other.entity, insertInto: nil))
      },
      "insertedObjects": { context, _ in _ = context.insertedObjects },
      "mergeChanges(_:)": { context, other in
        var changes = ManagedObjectContext.ObjectIDChanges()
        changes.insertedObjectIDs = [other.objectID]
        context.mergeChanges(changes)
      },
      "mergeChanges(fromContextDidSave:)": { context, other in
        context.mergeChanges(
          fromContextDidSave: Notification(
            name: ManagedObjectContext.didSaveObjectIDsNotification,
            object: other.managedObjectContext,
            userInfo: [
              ManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue: [other.objectID]
            ]))
      },
      "object(with:)": { context, other in _ = context.object(with: other.objectID) },
      "obtainPermanentIDs(for:)": { context, other in
        try context.obtainPermanentIDs(for: [other])
      },
      "processPendingChanges()": { context, _ in context.processPendingChanges() },
      "redo()": { context, _ in
        context.undoManager = ChangeUndoManager()
        context.redo()
      },
      "refreshAllObjects()": { context, _ in try context.refreshAllObjects() },
      "registeredObject(for:)": { context, other in
        _ = context.registeredObject(for: other.objectID)
      },
      "registeredObjects": { context, _ in _ = context.registeredObjects },
      "reset()": { context, _ in context.reset() },
      "rollback()": { context, _ in context.rollback() },
      "save()": { context, _ in try context.save() },
      "undo()": { context, _ in
        context.undoManager = ChangeUndoManager()
        context.undo()
      },
      "updatedObjects": { context, _ in _ = context.updatedObjects },
    ]

  @Test(
    "each use of a context ends the merges on its queue before it looks at the context (F34)",
    arguments: uses.keys.sorted())
  func first(_ name: String) throws {
    let stack = try Stack()
    let other = Department(context: stack.context)
    try stack.context.save()
    let reader = stack.anotherContext()
    reader.followCoreData()
    reader.automaticallyMergesChangesFromParent = true
    #expect(reader.queue.isUnused)
    try Self.uses[name]?(reader, other)
    #expect(!reader.queue.isUnused)
  }
}
