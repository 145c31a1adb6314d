// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

/// The steps that can be undone and redone, each with the plain values that it leads to.
struct WalkHistory {
  struct Moment {
    /// The number of undo groups of the step.
    var groups: Int
    var state: OracleState
    var ids: [Int: ObjectID]
  }

  var past: [Moment] = []
  var future: [Moment] = []
}

extension Walker {
  /// Records the undo groups of a step, with the state before it.
  func noteHistory(_ before: OracleState, _ idsBefore: [Int: ObjectID], groups: Int) {
    let count = undoManager.undoCount
    if count == 0 { history.past = [] }
    if undoManager.redoCount == 0 { history.future = [] }
    guard count >= groups else { return forgetHistory() }
    guard count > groups else { return }
    history.past.append(
      WalkHistory.Moment(groups: count - groups, state: before, ids: idsBefore))
    history.future = []
  }

  /// Changes of another context cannot be undone: after them, an undo would restore outdated values.
  func forgetHistory() {
    undoManager.removeAllActions()
    history = WalkHistory()
  }

  /// Undoes the last step, saved or not (B108, B110, B111).
  func undo() throws {
    guard let moment = history.past.popLast() else { return }
    history.future.append(
      WalkHistory.Moment(groups: moment.groups, state: current, ids: ids))
    for _ in 0..<moment.groups { context.undo() }
    try travel(to: moment)
  }

  /// Redoes the last undone step (B110).
  func redo() throws {
    guard let moment = history.future.popLast() else { return }
    history.past.append(
      WalkHistory.Moment(groups: moment.groups, state: current, ids: ids))
    for _ in 0..<moment.groups { context.redo() }
    try travel(to: moment)
  }

  private func travel(to moment: WalkHistory.Moment) throws {
    current = moment.state
    ids.merge(moment.ids) { known, _ in known }
    // Until the next save, it is unknown which equal values were set and which positions moved.
    hasTravelled = true
    related.formUnion(current.all)
    moved.formUnion(current.all)
    try compareGraph()
  }
}
