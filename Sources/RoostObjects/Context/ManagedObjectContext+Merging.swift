// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Taking over what others saved (B213 to B220).
extension ManagedObjectContext {
  /// Takes over what another context saved: objects that are registered here and were changed there are read anew and
  /// keep what was changed here, new ones are registered, deleted ones leave.
  ///
  /// Nothing becomes dirty by it. Objects that are not registered here are not read. Of the other
  /// context's objects only the IDs are used. When the objects cannot be read anew, they stay as they are and
  /// the context has a `readError`.
  ///
  /// ```swift
  /// NotificationCenter.default.addObserver(
  ///   forName: ManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
  /// ) { note in context.performAndWait { context.mergeChanges(fromContextDidSave: note) } }
  /// ```
  /// - Parameter notification: ``didSaveObjectsNotification`` or ``didSaveObjectIDsNotification`` of another context;
  ///   of this context it does nothing.
  /// - Complexity: At most one query a store, none where the other context has the same coordinator.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    let sender = notification.object as? ManagedObjectContext
    guard sender !== self, let userInfo = notification.userInfo else { return }
    checkQueue()
    let save = MergedSave(userInfo, in: persistentStoreCoordinator)
    let isShared = sender?.persistentStoreCoordinator === persistentStoreCoordinator
    if sender == nil || !isShared { merger.forgetRows(of: save) }
    merger.merge(save)
  }

  /// Takes over what was written elsewhere, as by a batch request or by another process, whose rows are read from the
  /// stores.
  ///
  /// - Parameter changes: What was written.
  /// - Complexity: At most one query a store.
  public func mergeChanges(_ changes: ObjectIDChanges) {
    checkQueue()
    let save = MergedSave(changes)
    merger.forgetRows(of: save)
    merger.merge(save)
  }

  /// Takes over what was written elsewhere into several contexts, each on its queue.
  ///
  /// - Parameters:
  ///   - changes: IDs or URIs, in lists or sets, under the raw values of ``NotificationKey``.
  ///   - contexts: The contexts, parents before their children.
  /// - Complexity: At most one query a store and context.
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
