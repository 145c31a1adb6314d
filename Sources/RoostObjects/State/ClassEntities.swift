// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// The entity of each class of managed objects: of the models still in memory, the one used most recently decides.
package enum ClassEntities {
  /// A reference to an entity that ends with its model. The weak reference is to the model: reference counting is
  /// slower on an object with weak references, and every new object retains its entity.
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
    /// The entity of each class in the most recently used model.
    var newest: [ObjectIdentifier: ModelEntity] = [:]
    /// Entities of models that were still in memory when a later one came into use, the latest at the end.
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

  /// Registers the classes of a model's entities.
  package static func note(_ model: ManagedObjectModel) {
    note(model.entities)
  }

  static func note(_ entities: [EntityDescription]) {
    known.withLock { known in
      for entity in entities {
        guard let objectClass = entity.managedObjectClass else { continue }
        // A subentity with the same class as its superentity ranks behind it.
        if entity.superentity?.managedObjectClass == objectClass { continue }
        known.add(entity, of: ObjectIdentifier(objectClass))
      }
    }
  }

  /// Returns the entity of a class; nil when no model in memory has one.
  package static func entity(of objectClass: ManagedObject.Type) -> EntityDescription? {
    known.withLock { $0.entity(of: ObjectIdentifier(objectClass)) }
  }
}
