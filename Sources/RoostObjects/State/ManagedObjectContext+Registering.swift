// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Registration of objects in the context.
extension ManagedObjectContext {
  func register(inserting object: ManagedObject) {
    checkQueue()
    if object.binding !== classes.lastInserted || type(of: object) != object.binding.objectClass {
      if let refusal = refusal(of: object) { return readErrors.refuse(refusal) }
      classes.lastInserted = object.binding
    }
    object.context = self
    adopt(object)
    changes.noteInsertion(of: object)
    if !checksQueue, object.snapshot == nil, object.flags.isDisjoint(with: .hasEarlierChanges) {
      // The insertion is recorded, and the row is not shared: setters only have to mark their slot.
      object.settled.isSettling = true
    }
    guard !object.flags.contains(.awoken) else { return }
    object.flags.insert(.awoken)
    object.awakeFromInsert()
  }

  /// Returns the reason for refusing a new object; nil when the context accepts it.
  private func refusal(of object: ManagedObject) -> PersistenceError? {
    let entity = object.entity
    if entity.isAbstract {
      return PersistenceError(
        .abstractEntity, "An abstract entity has no instances.", entityName: entity.name)
    }
    guard entity.managedObjectModel === model else {
      return PersistenceError(
        .unknownEntity, "The entity is not part of the context's model.", entityName: entity.name)
    }
    // A fetch of the record makes an object of the entity's class (B3).
    let objectClass = object.binding.objectClass
    guard objectClass.isClass(ofObject: object) else {
      return PersistenceError(
        .invalidValue,
        "The objects of the entity are of the class \(objectClass), and this one is of "
          + "\(type(of: object)).", entityName: entity.name, objectIDs: [object.identity])
    }
    return nil
  }

  /// Returns the registered object with an ID. Another thread's save may have made the ID permanent a moment ago,
  /// unknown to this context: then the object is registered under the temporary ID (B32).
  private func knownObject(for id: ObjectID) -> ManagedObject? {
    let current = id.current
    return registry.object(for: current) ?? (id.isTemporaryID ? registry.object(for: id) : nil)
  }

  /// Puts an object into the registry.
  func adopt(_ object: ManagedObject) {
    registry.insert(object)
    statistics.objectsRegistered += 1
    if let table = eventState.observation, table.isOfAllObjects { object.isObserved = true }
    if retainsRegisteredObjects { retained[ObjectIdentifier(object)] = object }
    if blockObjects != nil { blockObjects?.append(object) }
  }

  /// Removes an object from the context; its context is nil afterwards.
  func forget(_ object: ManagedObject) {
    guard object.context === self else { return }
    changes.forget(object)
    registry.remove(object)
    let key = ObjectIdentifier(object)
    if !retained.isEmpty { retained[key] = nil }
    if !saving.assignments.isEmpty { saving.assignments[key] = nil }
    if !saving.watched.isEmpty { saving.watched[key] = nil }
    object.orphan.leaveContext()
  }

  /// Returns the object with an ID if it is registered. Never queries a store.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    checkQueue()
    upstream.learnPermanentIDs()
    return knownObject(for: id)
  }

  /// Returns the object with an ID: the registered one, or a new fault. Never queries a store, so the record may turn
  /// out not to exist when the fault fires.
  public func object(with id: ObjectID) -> ManagedObject {
    checkQueue()
    upstream.learnPermanentIDs()
    return knownObject(for: id) ?? materializer.makeFault(id.current)
  }

  static func missingRecord(_ id: ObjectID) -> PersistenceError {
    PersistenceError(
      .objectReferentialIntegrity, "The record does not exist.", entityName: id.entity.name,
      objectIDs: [id])
  }
}
