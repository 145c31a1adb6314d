// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension ManagedObjectContext {
  /// What keeps how to take back the context's events; nil by default, and then nothing is kept.
  ///
  /// Each event is one group, whatever was changed in it, unless you open a group yourself. To leave changes
  /// out, end the event, disable the registration, make them, end the event again, and enable it. Undoing does
  /// not touch the store: after a save it makes the context have changes again. It may be set from any thread;
  /// another thread than that of the context's queue waits for the queue.
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

  /// Whether an event can be undone, the current one included.
  package var hasUndo: Bool {
    checkQueue()
    guard let undoManager else { return false }
    return undoManager.canUndo
      || undoManager.isUndoRegistrationEnabled && !changes.event.touched.isEmpty
  }

  /// Whether an event can be done again.
  package var hasRedo: Bool {
    checkQueue()
    return undoManager?.canRedo ?? false
  }

  /// Takes back the last event: attributes, relationships on both sides, insertions and deletions. Without an
  /// undo manager, or with nothing to undo, it does nothing.
  ///
  /// - Complexity: O(what the event changed). Objects that became faults since are read again.
  public func undo() {
    guard let undoManager else { return }
    processPendingChanges()
    if undoManager.canUndo { undoManager.undo() }
  }

  /// Does again what was undone last. Without an undo manager, or with nothing to redo, it does nothing.
  ///
  /// - Complexity: O(what the event changed).
  public func redo() {
    guard let undoManager else { return }
    processPendingChanges()
    if undoManager.canRedo { undoManager.redo() }
  }
}
