// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension Walker {
  /// Opens the store with another version of the model. What was not saved is lost, as when it is opened anew; what was
  /// saved is as plain values say that it must be (M9, M12, M13, M16). A store that does not follow its model refuses.
  func migrate(_ step: WalkStep) throws {
    guard frames.isEmpty, isReopenable else { return }
    var next = version
    next.change(step)
    guard next != version else { return }
    faults.clear()
    forgetHistory()
    let follows = stack.coordinator.persistentStores.first?.evolution != nil
    do {
      try stack.reopen(model: layout.makeModel(next))
      version = next
      version.migrate(&stored)
    } catch let error as PersistenceError
      where error.code == .persistentStoreIncompatibleVersionHash && !follows
    {
      try stack.reopen()
    }
    context.undoManager = undoManager
    backToStore()
    try takeIDs()
    try compareStore()
  }

  /// An ID belongs to a model: those of the version that is open now are found by the URIs (M16).
  private func takeIDs() throws {
    let former = ids
    ids = [:]
    for serial in stored.all {
      let id = try require(former[serial], "the ID of \(serial)")
      ids[serial] = try require(
        stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()),
        "the ID of \(serial) in another version (M16)")
    }
  }
}
