// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// Which entity a class of managed objects stands for: of the models that are still there, in the one that came into
/// use last.
package enum ClassEntities {
  private struct WeakEntity: Sendable {
    weak var entity: EntityDescription?
  }

  private struct Known: Sendable {
    /// The entity of each class in the model that came into use last.
    var newest: [ObjectIdentifier: WeakEntity] = [:]
    /// Those of models that were still there when a later one came, the latest at the end.
    var earlier: [ObjectIdentifier: [WeakEntity]] = [:]

    mutating func add(_ entity: EntityDescription, of key: ObjectIdentifier) {
      if let old = newest[key]?.entity {
        if old === entity { return }
        earlier[key, default: []].removeAll { $0.entity == nil || $0.entity === entity }
        earlier[key, default: []].append(WeakEntity(entity: old))
      }
      newest[key] = WeakEntity(entity: entity)
    }

    func entity(of key: ObjectIdentifier) -> EntityDescription? {
      newest[key]?.entity ?? earlier[key]?.last { $0.entity != nil }?.entity
    }
  }

  private static let known = Mutex(Known())

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
        known.add(entity, of: ObjectIdentifier(objectClass))
      }
    }
  }

  /// The entity of a class; nil when no model that is still there has one.
  package static func entity(of objectClass: ManagedObject.Type) -> EntityDescription? {
    known.withLock { $0.entity(of: ObjectIdentifier(objectClass)) }
  }
}
