// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension Walker {
  /// Simulates that the process dies at a call of a save: nothing reaches the stores any more, nothing is cleaned up,
  /// and another process finds what is left. The save is in both stores or in neither (X3, X6).
  ///
  /// - Parameter call: How many calls succeed before it dies; with more than there are, it dies after the save.
  func dieSaving(at call: Int) throws {
    forgetHistory()
    faults.cutOff(after: call)
    var isSaved: Bool? = true
    do {
      try context.save()
    } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
      isSaved = nil
    } catch let error as PersistenceError where error.code == FaultSwitch.error.code {
      isSaved = false
    }
    faults.cutOff()
    // The live results end with the process.
    live.forgetContexts()
    stack.close()
    faults.clear()
    try stack.reopen()
    context.undoManager = undoManager
    // The process never knew the IDs of some records: they are found by their serial numbers.
    ids = [:]
    for entity in ["Node", "Group", "Tag"] {
      for object in try context.all(entity) { ids[try serial(of: object)] = object.objectID }
    }
    // When the outcome is unknown, both states are possible.
    let states = isSaved.map { [$0 ? current : stored] } ?? [current, stored]
    for (index, state) in states.enumerated() {
      versions = WalkVersions()
      stored = state
      current = state
      do {
        try compareStore()
        return backToStore()
      } catch  where index < states.count - 1 {
        continue
      }
    }
  }
}
