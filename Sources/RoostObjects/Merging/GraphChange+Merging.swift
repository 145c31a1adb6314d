// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension GraphChange {
  /// Creates the changes of another context's save that was merged.
  init(_ save: MergedSave, in context: ManagedObjectContext) {
    func add(_ ids: [ObjectID], _ kind: Kind, _ properties: (ObjectID) -> Set<String>?) {
      for id in ids {
        guard let own = context.merger.ownID(id) else { continue }
        self.add(
          Record(
            id: own, object: context.registry.object(for: own), kind: kind,
            properties: properties(id)))
      }
    }
    add(save.inserted, .inserted) { _ in nil }
    add(save.updated, .updated) { save.properties?.names(of: $0.entity) }
    add(save.linked, .updated) { _ in nil }
    add(save.deleted, .deleted) { _ in nil }
    isUnknown = save.isUnknown
    token = save.token
  }
}
