// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

// What a to-one relationship reads as that has no destination, where its Swift type leaves no room for nil: a new
// object, a record that is gone or cannot be read, and a relationship that was set to nil by the other side are no
// mistakes of the program, so none of them ends it.
extension RelationshipReader {
  /// Returns an object that stands for the destination that is missing: without context and record, its properties read
  /// as nil or zero like those of a record that is gone (B43), what is set in it is lost, and nothing can be related to
  /// it. The next save throws `validationMissingMandatoryProperty`, unless the context knows the reason already.
  @inline(never)
  func standIn<T: ManagedObject>(for relationship: RelationshipDescription) -> T {
    guard let object = makeStandIn(T.self, for: relationship) as? T else {
      preconditionFailure("An object that stands for another is of the class that is wanted.")
    }
    return object
  }

  /// Returns such an object for a property that is read by its name; nil when its type is no class of objects.
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
    // Who could not be read has told its context why, and what is deleted leads nowhere by right (B92).
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

/// Makes objects that stand for others.
private enum StandIns {
  /// Makes an object of a class or a subclass, of an entity where that has such objects.
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

  /// An entity that has a class's properties and is in no model that anybody uses.
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
