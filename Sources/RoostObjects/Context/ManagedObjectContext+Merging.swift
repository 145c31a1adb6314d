// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Merging other contexts' saves (B213 to B220).
extension ManagedObjectContext {
  /// Merges the save of another context: changed objects that are registered here are read again and keep their
  /// unsaved changes, new ones are registered, deleted ones leave the context.
  ///
  /// It marks no object as changed, and reads no objects that are not registered here. It uses only the IDs of the
  /// other context's objects. When the objects cannot be read again, they stay as they are and the context has a
  /// `readError`.
  ///
  /// ```swift
  /// NotificationCenter.default.addObserver(
  ///   forName: ManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
  /// ) { note in context.performAndWait { context.mergeChanges(fromContextDidSave: note) } }
  /// ```
  /// - Parameter notification: ``didSaveObjectsNotification`` or ``didSaveObjectIDsNotification`` of another context;
  ///   one of this context has no effect.
  /// - Complexity: At most one query for each store, none if the other context has the same coordinator.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    let sender = notification.object as? ManagedObjectContext
    guard sender !== self, let userInfo = notification.userInfo else { return }
    checkQueue()
    let save = MergedSave(userInfo, in: persistentStoreCoordinator)
    let isShared = sender?.persistentStoreCoordinator === persistentStoreCoordinator
    if sender == nil || !isShared { merger.forgetRows(of: save) }
    merger.merge(save)
  }

  /// Merges changes written elsewhere, as by a batch request or by another process; their rows are read from the
  /// stores.
  ///
  /// - Parameter changes: The written records.
  /// - Complexity: At most one query for each store.
  public func mergeChanges(_ changes: ObjectIDChanges) {
    checkQueue()
    let save = MergedSave(changes)
    merger.forgetRows(of: save)
    merger.merge(save)
  }

  /// Merges changes written elsewhere into several contexts, each on its queue.
  ///
  /// - Parameters:
  ///   - changes: IDs or URIs, in lists or sets, under the raw values of ``NotificationKey``.
  ///   - contexts: The contexts, parents before their children.
  /// - Complexity: At most one query for each store and context.
  public static func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait {
        let save = MergedSave(changes, in: context.persistentStoreCoordinator)
        context.merger.forgetRows(of: save)
        context.merger.merge(save)
      }
    }
  }
}
