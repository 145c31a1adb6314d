// SPDX-License-Identifier: Apache-2.0

import Foundation

extension UndoRecorder {
  /// Subscribes the context to its current undo manager.
  func linkUndoManager() {
    context.processPendingChanges()
    let manager = context.undoManager
    context.undoLink = manager.map { UndoLink(manager: $0, context: context) }
    context.changes.isRecording = manager != nil
  }

  /// Registers the undo of an ended event.
  func registerUndo(of log: EventLog) {
    guard context.changes.isRecording, let undoManager = context.undoManager else { return }
    let record = UndoRecord(of: log, rows: context.changes.rows, steps: context.changes.steps)
    context.changes.dropRecord()
    guard undoManager.isUndoRegistrationEnabled, !record.isEmpty else { return }
    let kept = KeptUndo(record)
    // The delete rules of this event's deletions are applied later, and undone with it.
    if !context.changes.unpropagated.isEmpty { context.changes.openUndo.append(kept) }
    undoManager.registerUndo(of: context) { $0.undoRecorder.restore(kept) }
    undoManager.closeEventGroup()
  }

  /// Adds the effects of delete rules to the undo of the events with the deletions (B84, B110).
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

  /// Drops all undo data, after a rollback and a reset (B114, B115).
  func forgetUndo() {
    context.changes.dropRecord()
    context.changes.openUndo = []
    context.undoManager?.removeAllActions()
  }
}
