// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The connection of a context to its undo manager: the context registers pending changes when the manager asks for
/// them.
final class UndoLink {
  let manager: any UndoManaging
  private let token: any NSObjectProtocol
  private let target: ObjectIdentifier

  /// Weak references to both, for the observer of the manager's notifications.
  private final class Reference: @unchecked Sendable {
    // Sendable: set before it is shared, and read where the manager posts: on the thread that uses the context too.
    weak var context: ManagedObjectContext?
    weak var manager: (any UndoManaging)?
  }

  init(manager: any UndoManaging, context: ManagedObjectContext) {
    self.manager = manager
    target = ObjectIdentifier(context)
    let reference = Reference()
    reference.context = context
    reference.manager = manager
    token = NotificationCenter.default.addObserver(
      forName: type(of: manager).checkpointNotification, object: manager, queue: nil
    ) { _ in
      guard let manager = reference.manager, !manager.isUndoing, !manager.isRedoing else { return }
      reference.context?.processPendingChanges()
    }
  }

  deinit {
    NotificationCenter.default.removeObserver(token)
    // The manager no longer needs to retain objects of a context that is gone, or that has another manager.
    (manager as? ChangeUndoManager)?.removeActions(of: target)
  }
}
