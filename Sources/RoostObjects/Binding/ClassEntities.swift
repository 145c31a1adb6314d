// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// Which entity a class of managed objects stands for, in the model that came into use last.
package enum ClassEntities {
  private struct WeakEntity: Sendable {
    weak var entity: EntityDescription?
  }

  private static let known = Mutex<[ObjectIdentifier: WeakEntity]>([:])

  /// Notes the classes of a model's entities.
  package static func note(_ model: ManagedObjectModel) {
    note(model.entities)
  }

  static func note(_ entities: [EntityDescription]) {
    known.withLock { known in
      for entity in entities {
        guard let objectClass = entity.managedObjectClass else { continue }
        // A subentity that names the class of its superentity stands behind it.
        if entity.superentity?.managedObjectClass == objectClass { continue }
        known[ObjectIdentifier(objectClass)] = WeakEntity(entity: entity)
      }
    }
  }

  /// The entity of a class; nil when no model that is still there has one.
  package static func entity(of objectClass: ManagedObject.Type) -> EntityDescription? {
    known.withLock { $0[ObjectIdentifier(objectClass)]?.entity }
  }
}
