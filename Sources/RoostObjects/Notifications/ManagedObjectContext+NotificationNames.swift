// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The notifications of a context. Each is posted by `NotificationCenter.default`, with the context as its object,
// synchronously and on the queue that the context is used on (B103). A notification whose name the program never asked
// for here is not posted: nobody can be listening.
extension ManagedObjectContext {
  /// An event ended in which objects were changed: posted at the end of ``processPendingChanges()``.
  ///
  /// ```swift
  /// NotificationCenter.default.addObserver(
  ///   forName: ManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
  /// ) { note in
  ///   print(ManagedObjectContext.ObjectChanges(note).insertedObjects.count)
  /// }
  /// ```
  public static var didChangeObjectsNotification: Notification.Name {
    ContextNotification.objectsDidChange.askForName()
  }

  /// A save begins; objects may still be changed and inserted, and belong to this save then. It has no user
  /// info.
  public static var willSaveObjectsNotification: Notification.Name {
    ContextNotification.willSave.askForName()
  }

  /// A save ended, and wrote something. The three sets of objects are always there.
  ///
  /// Where a store keeps a history and knows its position without being asked, which those in memory and in files do,
  /// `PersistentStoreCoordinator/persistentHistoryTokenKey` has the token after the save.
  public static var didSaveObjectsNotification: Notification.Name {
    ContextNotification.didSave.askForName()
  }

  /// A save ended: the IDs of what it wrote, which may be used on any thread, and the token of
  /// ``didSaveObjectsNotification``.
  public static var didSaveObjectIDsNotification: Notification.Name {
    ContextNotification.didSaveObjectIDs.askForName()
  }

  /// What others saved was merged into the context: the IDs.
  public static var didMergeChangesObjectIDsNotification: Notification.Name {
    ContextNotification.didMergeChangesObjectIDs.askForName()
  }
}

extension Notification.Name {
  /// The same as ``ManagedObjectContext/didChangeObjectsNotification``.
  public static var managedObjectContextObjectsDidChange: Notification.Name {
    ManagedObjectContext.didChangeObjectsNotification
  }

  /// The same as ``ManagedObjectContext/willSaveObjectsNotification``.
  public static var managedObjectContextWillSave: Notification.Name {
    ManagedObjectContext.willSaveObjectsNotification
  }

  /// The same as ``ManagedObjectContext/didSaveObjectsNotification``.
  public static var managedObjectContextDidSave: Notification.Name {
    ManagedObjectContext.didSaveObjectsNotification
  }

  /// The same as ``ManagedObjectContext/didSaveObjectIDsNotification``.
  public static var managedObjectContextDidSaveObjectIDs: Notification.Name {
    ManagedObjectContext.didSaveObjectIDsNotification
  }

  /// The same as ``ManagedObjectContext/didMergeChangesObjectIDsNotification``.
  public static var managedObjectContextDidMergeChangesObjectIDs: Notification.Name {
    ManagedObjectContext.didMergeChangesObjectIDsNotification
  }
}
