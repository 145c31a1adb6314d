// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The notifications of a context. Each is posted by `NotificationCenter.default`, with the context as its object,
// synchronously and on the context's queue (B103). A notification is posted only once the program has read its name
// here: before that there can be no observer.
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

  /// A save begins; objects that are changed or inserted now are part of this save. It has no user info.
  public static var willSaveObjectsNotification: Notification.Name {
    ContextNotification.willSave.askForName()
  }

  /// A save ended, and wrote something. The three sets of objects are always present.
  ///
  /// If a store keeps a history and knows its position without a query, as stores in memory and in files do,
  /// `PersistentStoreCoordinator/persistentHistoryTokenKey` has the token after the save.
  public static var didSaveObjectsNotification: Notification.Name {
    ContextNotification.didSave.askForName()
  }

  /// A save ended: the IDs of the objects it wrote, which may be used on any thread, and the token as in
  /// ``didSaveObjectsNotification``.
  public static var didSaveObjectIDsNotification: Notification.Name {
    ContextNotification.didSaveObjectIDs.askForName()
  }

  /// Saves of other contexts were merged into the context: the IDs of the objects.
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
