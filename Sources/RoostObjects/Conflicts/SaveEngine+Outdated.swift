// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Which objects a refused save has proved out of date.
extension SaveEngine {
  /// Remembers the objects whose records are in another version than they were read in.
  func noteOutdated(_ conflicts: [CommitConflict]) {
    for case .version(let id, _, _, _) in conflicts {
      context.saving.outdatedRecords.insert(id.current)
    }
  }

  /// Turns the objects that are known to be out of date into faults, once nothing of them is changed any more: the
  /// values that they would go back to are those that the next save would be refused for again (B362). Their rows came
  /// with the conflict, so that no store is asked now.
  func dropOutdated() {
    for id in context.saving.outdatedRecords {
      guard let object = context.registry.object(for: id), !object.hasChanges, !object.isFault
      else {
        continue
      }
      context.events.noteRefresh(of: object)
      object.turnIntoFault()
    }
    context.saving.outdatedRecords = []
  }
}
