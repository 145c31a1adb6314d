// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Objects that a refused save has found out of date.
extension SaveEngine {
  /// Records the objects whose records have another version than the one read.
  func noteOutdated(_ conflicts: [CommitConflict]) {
    for case .version(let id, _, _, _) in conflicts {
      context.saving.outdatedRecords.insert(id.current)
    }
  }

  /// Turns outdated objects without changes into faults: with their committed values the next save would be refused
  /// again (B362). Their rows came with the conflict, so no store is queried.
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
