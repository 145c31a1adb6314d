// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The notifications of a context. Each is posted by `NotificationCenter.default`, with the context as its object,
// synchronously and on the queue that the context is used on (B103).
extension ManagedObjectContext {
  /// An event ended in which objects were changed: posted at the end of ``processPendingChanges()`` (B97, B98).
  ///
  /// ```swift
  /// NotificationCenter.default.addObserver(
  ///   forName: ManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
  /// ) { note in
  ///   print(ManagedObjectContext.ObjectChanges(note).insertedObjects.count)
  /// }
  /// ```
  public static let didChangeObjectsNotification = Notification.Name(
    "RoostManagedObjectContextObjectsDidChange")

  /// A save begins; objects may still be changed and inserted, and belong to this save then (B101). It has no user
  /// info.
  public static let willSaveObjectsNotification = Notification.Name(
    "RoostManagedObjectContextWillSave")

  /// A save ended, and wrote something (B102, B104). The three sets of objects are always there.
  public static let didSaveObjectsNotification = Notification.Name(
    "RoostManagedObjectContextDidSave")

  /// A save ended: the IDs of what it wrote, which may be used on any thread (B102).
  public static let didSaveObjectIDsNotification = Notification.Name(
    "RoostManagedObjectContextDidSaveObjectIDs")

  /// What others saved was merged into the context: the IDs (B216).
  public static let didMergeChangesObjectIDsNotification = Notification.Name(
    "RoostManagedObjectContextDidMergeChangesObjectIDs")
}

extension Notification.Name {
  /// The same as ``ManagedObjectContext/didChangeObjectsNotification``.
  public static let managedObjectContextObjectsDidChange =
    ManagedObjectContext.didChangeObjectsNotification
  /// The same as ``ManagedObjectContext/willSaveObjectsNotification``.
  public static let managedObjectContextWillSave =
    ManagedObjectContext.willSaveObjectsNotification
  /// The same as ``ManagedObjectContext/didSaveObjectsNotification``.
  public static let managedObjectContextDidSave =
    ManagedObjectContext.didSaveObjectsNotification
  /// The same as ``ManagedObjectContext/didSaveObjectIDsNotification``.
  public static let managedObjectContextDidSaveObjectIDs =
    ManagedObjectContext.didSaveObjectIDsNotification
  /// The same as ``ManagedObjectContext/didMergeChangesObjectIDsNotification``.
  public static let managedObjectContextDidMergeChangesObjectIDs =
    ManagedObjectContext.didMergeChangesObjectIDsNotification
}
