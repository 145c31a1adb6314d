// SPDX-License-Identifier: Apache-2.0

import Foundation

extension UndoRecorder {
  /// Ties the context to the undo manager that was set last.
  func linkUndoManager() {
    context.processPendingChanges()
    let manager = context.undoManager
    context.undoLink = manager.map { UndoLink(manager: $0, context: context) }
    context.changes.isRecording = manager != nil
  }

  /// Registers how to take back an event that is over.
  func registerUndo(of log: EventLog) {
    guard context.changes.isRecording, let undoManager = context.undoManager else { return }
    let record = UndoRecord(of: log, rows: context.changes.rows, steps: context.changes.steps)
    context.changes.dropRecord()
    guard undoManager.isUndoRegistrationEnabled, !record.isEmpty else { return }
    let kept = KeptUndo(record)
    // The delete rules of this event's deletions come later, and are undone with them.
    if !context.changes.unpropagated.isEmpty { context.changes.openUndo.append(kept) }
    undoManager.registerUndo(of: context) { $0.undoRecorder.restore(kept) }
    undoManager.closeEventGroup()
  }

  /// Lets what the delete rules did to deletions of earlier events be undone together with these (B84, B110).
  func joinUndoOfDeletions() {
    guard !context.changes.openUndo.isEmpty else { return }
    let deletions = context.changes.openUndo.filter(\.record.hasDeletions)
    context.changes.openUndo = []
    guard let last = deletions.last, !context.changes.event.isEmpty else { return }
    let late = UndoRecord(
      of: context.changes.event, rows: context.changes.rows, steps: context.changes.steps)
    context.changes.dropRecord()
    var steps = late.steps
    for kept in deletions.dropLast() {
      let own = kept.record.departures
      kept.record.add(steps: steps.filter { $0.concerns(own) })
      steps.removeAll { $0.concerns(own) }
    }
    last.record.add(late, steps: steps)
    context.events.endEvent(registersUndo: false)
  }

  /// Forgets all undo, after a rollback and a reset (B114, B115).
  func forgetUndo() {
    context.changes.dropRecord()
    context.changes.openUndo = []
    context.undoManager?.removeAllActions()
  }
}
