// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
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
      onOwnQueue { $0.linkUndoManager() }
    }
  }

  /// Ties the context to the undo manager that was set last.
  private func linkUndoManager() {
    processPendingChanges()
    let manager = undoManager
    undoLink = manager.map { UndoLink(manager: $0, context: self) }
    changes.isRecording = manager != nil
  }

  /// Whether an event can be undone, the current one included.
  package var hasUndo: Bool {
    guard let undoManager else { return false }
    return undoManager.canUndo
      || undoManager.isUndoRegistrationEnabled && !changes.event.objects.isEmpty
  }

  /// Whether an event can be done again.
  package var hasRedo: Bool { undoManager?.canRedo ?? false }

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

  /// Registers how to take back an event that is over.
  func registerUndo(of log: EventLog) {
    guard changes.isRecording, let undoManager else { return }
    let record = UndoRecord(of: log, rows: changes.rows, steps: changes.steps)
    changes.dropRecord()
    guard undoManager.isUndoRegistrationEnabled, !record.isEmpty else { return }
    let kept = KeptUndo(record)
    // The delete rules of this event's deletions come later, and are undone with them.
    if !changes.unpropagated.isEmpty { changes.openUndo.append(kept) }
    undoManager.registerUndo(of: self) { $0.restore(kept) }
    undoManager.closeEventGroup()
  }

  /// Lets what the delete rules did to deletions of earlier events be undone together with these (B84, B110).
  func joinUndoOfDeletions() {
    guard !changes.openUndo.isEmpty else { return }
    let deletions = changes.openUndo.filter(\.record.hasDeletions)
    changes.openUndo = []
    guard let last = deletions.last, !changes.event.isEmpty else { return }
    let late = UndoRecord(of: changes.event, rows: changes.rows, steps: changes.steps)
    changes.dropRecord()
    var steps = late.steps
    for kept in deletions.dropLast() {
      let own = kept.record.departures
      kept.record.add(steps: steps.filter { $0.concerns(own) })
      steps.removeAll { $0.concerns(own) }
    }
    last.record.add(late, steps: steps)
    endEvent(registersUndo: false)
  }

  /// Forgets all undo, after a rollback and a reset (B114, B115).
  func forgetUndo() {
    changes.dropRecord()
    changes.openUndo = []
    undoManager?.removeAllActions()
  }
}

/// What ties a context to its undo manager: the manager says when it wants the context's changes.
final class UndoLink {
  let manager: any UndoManaging
  private let token: any NSObjectProtocol
  private let target: ObjectIdentifier

  /// The two ends, for whoever is told that the manager has posted.
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
