// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What ties a context to its undo manager: the manager says when it wants the context's changes.
final class UndoLink {
  let manager: any UndoManaging
  private let token: any NSObjectProtocol
  private let target: ObjectIdentifier

  /// The two ends, for the observer of the manager's notifications.
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
    // The objects of a context that is gone, or has another manager, need not be kept.
    (manager as? ChangeUndoManager)?.removeActions(of: target)
  }
}
