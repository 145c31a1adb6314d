// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

// Stand-ins for missing destinations of to-one relationships whose Swift type is not optional. A new object, a record
// that is gone or cannot be read, and a relationship set to nil by the inverse are not errors of the program, so they
// do not end it.
extension RelationshipReader {
  /// Returns a stand-in for a missing destination: an object without context and record, whose properties read as nil
  /// or zero like those of a record that is gone (B43); values set in it are lost, and it cannot be related to
  /// anything. The next save throws `validationMissingMandatoryProperty`, unless the context has recorded the reason
  /// already.
  @inline(never)
  func standIn<T: ManagedObject>(for relationship: RelationshipDescription) -> T {
    guard let object = makeStandIn(T.self, for: relationship) as? T else {
      preconditionFailure("An object that stands for another is of the class that is wanted.")
    }
    return object
  }

  /// Returns a stand-in for a property read by name; nil when its type is no class of objects.
  func missingDestination<T>(_ key: String) -> T? {
    guard let wanted = T.self as? ManagedObject.Type,
      let relationship = owner.binding.relationship(named: key), !relationship.isToMany
    else { return nil }
    return makeStandIn(wanted, for: relationship) as? T
  }

  private func makeStandIn(
    _ wanted: ManagedObject.Type, for relationship: RelationshipDescription
  ) -> ManagedObject {
    tellMissingDestination(relationship)
    let object = StandIns.make(wanted, of: relationship.fixedDestination)
    object.memory = nil
    object.row = nil
    object.flags.formIntersection(.scattered)
    object.flags.formUnion([.inaccessible, .gone, .awoken])
    return object
  }

  private func tellMissingDestination(_ relationship: RelationshipDescription) {
    // A read failure has been recorded already, and a deleted object may have no destination (B92).
    guard let context = owner.context, owner.flags.isDisjoint(with: [.deleted, .inaccessible])
    else { return }
    let slot = owner.binding.referenceSlots[relationship.ordinal]
    guard owner.memory != nil || slot.flatMap({ owner.values.partialRow(having: $0) }) != nil else {
      return
    }
    if !context.unthrown.readFailures.isEmpty,
      context.unthrown.readFailures.contains(owner.identity.current)
    {
      return
    }
    if let last = context.unthrown.refusedChanges.last,
      last.code == .validationMissingMandatoryProperty,
      last.key == relationship.name, last.objectIDs == [owner.identity]
    {
      return
    }
    context.readErrors.refuse(
      PersistenceError(
        .validationMissingMandatoryProperty,
        "\(relationship.name) was read without having a destination, which its type leaves no room "
          + "for; declare it as an optional to test for that.",
        entityName: owner.entity.name, key: relationship.name, objectIDs: [owner.identity]))
  }
}

/// Creates stand-ins.
private enum StandIns {
  /// Creates an object of a class or a subclass, of the given entity if its class fits.
  static func make(_ wanted: ManagedObject.Type, of entity: EntityDescription?) -> ManagedObject {
    if let entity {
      let objectClass = EntityBinding.binding(of: entity).objectClass
      if wanted.isSame(orAbove: objectClass) {
        return objectClass.init(entity: entity, insertInto: nil)
      }
      if wanted._entityDeclaration == nil, objectClass.isSame(orAbove: wanted) {
        return wanted.init(entity: entity, insertInto: nil)
      }
    }
    // The model is gone, and with it the entity.
    return wanted.init(entity: ownEntity(of: wanted), insertInto: nil)
  }

  /// An entity with a class's properties, in a model that is not used otherwise.
  private static func ownEntity(of objectClass: ManagedObject.Type) -> EntityDescription {
    guard objectClass._entityDeclaration != nil else { return RecorderEntity.entity }
    let model = models.withLock { models in
      if let known = models[ObjectIdentifier(objectClass)] { return known }
      do {
        let model = try ManagedObjectModel([objectClass])
        try model.freeze()
        models[ObjectIdentifier(objectClass)] = model
        return model
      } catch {
        preconditionFailure("The class \(objectClass) is in no consistent model: \(error)")
      }
    }
    return model.entity(forClass: ObjectIdentifier(objectClass)) ?? RecorderEntity.entity
  }

  // Entities do not keep their model alive.
  private static let models = Mutex<[ObjectIdentifier: ManagedObjectModel]>([:])
}
