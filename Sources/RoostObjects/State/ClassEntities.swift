// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// Which entity a class of managed objects stands for: of the models that are still there, in the one that came into
/// use last.
package enum ClassEntities {
  /// An entity, as long as its model is there. It is the model that is referred to weakly: what has a weak reference is
  /// counted more slowly, and an entity is counted with each object that is made.
  private struct ModelEntity: Sendable {
    private weak var model: ManagedObjectModel?
    private let name: String

    /// - Returns: nil for an entity without a model.
    init?(_ entity: EntityDescription) {
      guard let model = entity.managedObjectModel, let name = entity.name else { return nil }
      self.model = model
      self.name = name
    }

    var entity: EntityDescription? { model?.entitiesByName[name] }
  }

  private struct Known: Sendable {
    /// The entity of each class in the model that came into use last.
    var newest: [ObjectIdentifier: ModelEntity] = [:]
    /// Those of models that were still there when a later one came, the latest at the end.
    var earlier: [ObjectIdentifier: [ModelEntity]] = [:]

    mutating func add(_ entity: EntityDescription, of key: ObjectIdentifier) {
      guard let new = ModelEntity(entity) else { return }
      if let known = newest[key], let old = known.entity {
        if old === entity { return }
        earlier[key, default: []].removeAll { $0.entity == nil || $0.entity === entity }
        earlier[key, default: []].append(known)
      }
      newest[key] = new
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
