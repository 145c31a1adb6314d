// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostStore

// Which objects the context knows.
extension ManagedObjectContext {
  /// The objects that will be written as new records.
  ///
  /// - Complexity: O(changed objects), no query.
  public var insertedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.inserted))
  }

  /// The objects whose records will be changed.
  public var updatedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.updated))
  }

  /// The objects whose records will be removed, and those that a merge found removed, until changes are processed.
  public var deletedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.deleted)).union(mergedDeletions)
  }

  /// All objects that the context knows at the moment; the clean ones only while somebody keeps them. What a merge
  /// found removed is among them until changes are processed.
  ///
  /// - Complexity: O(registered objects), no query.
  public var registeredObjects: Set<ManagedObject> {
    checkQueue()
    return Set(registry.all).union(mergedDeletions)
  }

  /// Registers an object with a temporary ID, to be written by the next save; runs awakeFromInsert once.
  ///
  /// An object of another context is refused: it stays where it is, and the next save throws `differentContexts`.
  /// So is one that is not of the class that its entity names: `invalidValue`.
  /// - Parameter object: An object without a context.
  public func insert(_ object: ManagedObject) {
    if object.context === self {
      return
    }
    guard object.context == nil, !object.flags.contains(.gone) else {
      refuse(
        PersistenceError(
          .differentContexts, "The object belongs to another context, or was deleted.",
          entityName: object.entity.name, objectIDs: [object.objectID]))
      return
    }
    register(inserting: object)
  }

  /// Marks an object for deletion by the next save; prepareForDeletion runs now, the delete rules are applied at
  /// the end of the event. An object that was never saved is forgotten.
  ///
  /// - Parameter object: An object of this context.
  public func delete(_ object: ManagedObject) {
    guard object.context === self else {
      refuse(
        PersistenceError(
          .differentContexts, "An object of another context cannot be deleted here.",
          entityName: object.entity.name, objectIDs: [object.objectID]))
      return
    }
    checkQueue()
    // What is deleted is the version that this context has seen: later ones are a conflict (B176).
    if object.isFault, object.row != nil { _ = object.fire() }
    object.prepareForDeletion()
    markDeleted(object)
  }

  /// Assigns a new object to the store that is to hold it.
  ///
  /// - Parameters:
  ///   - object: An inserted object that was never saved.
  ///   - store: A writable store of this context's coordinator whose configuration has the object's entity.
  /// - Throws: ``PersistenceError`` with code `invalidStoreAssignment` or `readOnlyStore`.
  @_disfavoredOverload
  public func assign(_ object: ManagedObject, to store: any PersistentStore) throws {
    guard object.context === self, object.objectID.isTemporaryID else {
      throw PersistenceError(
        .invalidStoreAssignment,
        "Only an object of this context that was never saved can be assigned to a store.",
        entityName: object.entity.name, objectIDs: [object.objectID])
    }
    try coordinator().checkAssignment(of: object.entity, to: store)
    assignments[ObjectIdentifier(object)] = store.identity
    object.objectID.scope.wasAssigned(to: store.identity)
  }

  /// Returns the object with an ID if the context knows it. Never asks a store.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    checkQueue()
    learnPermanentIDs()
    return knownObject(for: id)
  }

  /// The registered object with an ID. Another thread's save may have made the ID permanent a moment ago, and this
  /// context not have heard of it: then the object is known by the old one (B32).
  private func knownObject(for id: ObjectID) -> ManagedObject? {
    let current = id.current
    return registry.object(for: current) ?? (id.isTemporaryID ? registry.object(for: id) : nil)
  }

  /// Returns the object with an ID: the registered one, or a new fault. Never asks a store, so the record may turn out
  /// not to exist when the fault fires.
  public func object(with id: ObjectID) -> ManagedObject {
    checkQueue()
    learnPermanentIDs()
    return knownObject(for: id) ?? makeFault(id.current)
  }

  /// Returns the object with an ID, its values read.
  ///
  /// - Throws: ``PersistenceError`` with code `objectReferentialIntegrity` when the record does not exist.
  /// - Complexity: At most one query.
  @_disfavoredOverload
  public func existingObject(with id: ObjectID) throws -> ManagedObject {
    checkQueue()
    learnPermanentIDs()
    let id = id.current
    if let known = registry.object(for: id), !known.isFault || known.isInserted {
      if known.isFault { _ = try known.readMemory() }
      return known
    }
    guard !id.isTemporaryID || parentContext != nil else {
      throw ManagedObjectContext.missingRecord(id)
    }
    statistics.roundTrips += 1
    guard let row = try storedRow(for: id) else {
      throw ManagedObjectContext.missingRecord(id)
    }
    if let known = registry.object(for: id) {
      if known.isFault { _ = known.awake(with: row) }
      return known
    }
    let binding = EntityBinding.binding(of: id.entity)
    return withExtendedLifetime((row, binding)) {
      let object = makeFault(
        forKey: id.key, in: id.scope, binding: binding, row: .passUnretained(row.storage))
      // An initializer may have looked at the values.
      if object.isFault { _ = object.awakeWithRow() }
      return object
    }
  }

  static func missingRecord(_ id: ObjectID) -> PersistenceError {
    PersistenceError(
      .objectReferentialIntegrity, "The record does not exist.", entityName: id.entity.name,
      objectIDs: [id])
  }
}

// MARK: - Registering

extension ManagedObjectContext {
  func register(inserting object: ManagedObject) {
    checkQueue()
    if object.binding !== lastInserted || type(of: object) != object.binding.objectClass {
      if let refusal = refusal(of: object) { return refuse(refusal) }
      lastInserted = object.binding
    }
    object.context = self
    adopt(object)
    changes.noteInsertion(of: object)
    if !checksQueue, object.snapshot == nil, object.flags.isDisjoint(with: .hasEarlierChanges) {
      // The insertion is noted, and nobody has the row: setters have nothing to do but to note their slot.
      object.settled.isSettling = true
    }
    guard !object.flags.contains(.awoken) else { return }
    object.flags.insert(.awoken)
    object.awakeFromInsert()
  }

  /// Why the context does not take a new object; nil when it does.
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
    // Whoever fetches the record gets an object of the entity's class (B3).
    let objectClass = object.binding.objectClass
    guard objectClass.isClass(ofObject: object) else {
      return PersistenceError(
        .invalidValue,
        "The objects of the entity are of the class \(objectClass), and this one is of "
          + "\(type(of: object)).", entityName: entity.name, objectIDs: [object.identity])
    }
    return nil
  }

  /// Puts an object into the registry.
  func adopt(_ object: ManagedObject) {
    registry.insert(object)
    statistics.objectsRegistered += 1
    if observation != nil { object.isObserved = true }
    if retainsRegisteredObjects { retained[ObjectIdentifier(object)] = object }
    if blockObjects != nil { blockObjects?.append(object) }
  }

  /// Takes an object out of everything; it has no context afterwards.
  func forget(_ object: ManagedObject) {
    guard object.context === self else { return }
    changes.forget(object)
    registry.remove(object)
    let key = ObjectIdentifier(object)
    if !retained.isEmpty { retained[key] = nil }
    if !assignments.isEmpty { assignments[key] = nil }
    if !watched.isEmpty { watched[key] = nil }
    object.leaveContext()
  }

  /// Makes the one object of a record, as a fault.
  func makeFault(_ id: ObjectID) -> ManagedObject {
    makeFault(id, binding: EntityBinding.binding(of: id.entity))
  }

  func makeFault(_ id: ObjectID, binding: EntityBinding) -> ManagedObject {
    makeFault(forKey: id.key, in: id.scope, binding: binding)
  }

  /// Makes the one object of the record that a key is in a scope.
  ///
  /// - Parameters:
  ///   - row: The record's row, if it is at hand; somebody holds it.
  ///   - company: Who was found together with it; somebody holds them.
  func makeFault(
    forKey key: Int64, in scope: IDScope, binding: EntityBinding,
    row: Unmanaged<RowStorage>? = nil, company: Unmanaged<ObjectCompany>? = nil
  ) -> ManagedObject {
    // The binding and the scope are held here until the object is made.
    awaited = AwaitedObject(
      scope: .passUnretained(scope), key: key, binding: .passUnretained(binding),
      slots: binding.primarySlots, row: row, company: company)
    let object = binding.objectClass.init(entity: binding.entity, insertInto: self)
    // What the record's object was to be would be taken for that of another one, or for nobody's.
    precondition(
      object.identity.key == key,
      "An override of init(entity:insertInto:) hands on the entity and the context that it was given, before it makes "
        + "other objects.")
    return object
  }

  /// Hands over what the initialiser of the object that is being materialized is to use.
  @inline(__always) func takeAwaited(for entity: EntityDescription) -> AwaitedObject? {
    guard let result = awaited,
      result.binding._withUnsafeGuaranteedRef({ $0.entity === entity })
    else { return nil }
    awaited = nil
    return result
  }
}

/// An object that is about to be made for a record; whoever makes it holds what it names.
struct AwaitedObject {
  let scope: Unmanaged<IDScope>
  let key: Int64
  let binding: Unmanaged<EntityBinding>
  let slots: SlotTable
  let row: Unmanaged<RowStorage>?
  let company: Unmanaged<ObjectCompany>?
}
