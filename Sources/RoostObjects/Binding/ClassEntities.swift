// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// Which entity a class of managed objects stands for: of the models that are still there, in the one that came into
/// use last.
package enum ClassEntities {
  private struct WeakEntity: Sendable {
    weak var entity: EntityDescription?
  }

  /// The entities of each class, in the order in which their models came into use.
  private static let known = Mutex<[ObjectIdentifier: [WeakEntity]]>([:])

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
        let key = ObjectIdentifier(objectClass)
        known[key, default: []].removeAll { $0.entity == nil || $0.entity === entity }
        known[key, default: []].append(WeakEntity(entity: entity))
      }
    }
  }

  /// The entity of a class; nil when no model that is still there has one.
  package static func entity(of objectClass: ManagedObject.Type) -> EntityDescription? {
    known.withLock { known in
      known[ObjectIdentifier(objectClass)]?.last { $0.entity != nil }?.entity
    }
  }
}
