// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension ManagedObjectContext {
  /// The undo manager of the context's events; nil by default: then no undo data is recorded.
  ///
  /// Each event is one group, whatever it changed, unless you open a group yourself. To exclude changes, end the
  /// event, disable the registration, make the changes, end the event again, and enable the registration. Undoing
  /// does not write to the store: after a save it makes the context have changes again. The property may be set from
  /// any thread; a thread other than that of the context's queue waits for the queue.
  ///
  /// ```swift
  /// context.undoManager = ChangeUndoManager()
  /// ada.name = "Countess"
  /// context.undo()
  /// ```
  public var undoManager: (any UndoManaging)? {
    get { settings.withLock { Unchecked($0.undoManager) }.value }
    set {
      let new = Unchecked(newValue)
      settings.withLock { $0.undoManager = new.value }
      onOwnQueue { $0.undoRecorder.linkUndoManager() }
    }
  }

  /// Whether there is an event to undo, including the current one.
  package var hasUndo: Bool {
    checkQueue()
    guard let undoManager else { return false }
    return undoManager.canUndo
      || undoManager.isUndoRegistrationEnabled && !changes.event.touched.isEmpty
  }

  /// Whether there is an event to redo.
  package var hasRedo: Bool {
    checkQueue()
    return undoManager?.canRedo ?? false
  }

  /// Undoes the last event: attributes, relationships on both sides, insertions and deletions. Without an undo
  /// manager, or with nothing to undo, it does nothing.
  ///
  /// - Complexity: O(changes of the event). Objects that became faults since are read again.
  public func undo() {
    guard let undoManager else { return }
    processPendingChanges()
    if undoManager.canUndo { undoManager.undo() }
  }

  /// Redoes the last undone event. Without an undo manager, or with nothing to redo, it does nothing.
  ///
  /// - Complexity: O(changes of the event).
  public func redo() {
    guard let undoManager else { return }
    processPendingChanges()
    if undoManager.canRedo { undoManager.redo() }
  }
}
