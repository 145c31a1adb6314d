// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
public import RoostStore

// The registered and changed objects of the context.
extension ManagedObjectContext {
  /// The objects that the next save writes as new records.
  ///
  /// - Complexity: O(changed objects), no query.
  public var insertedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.inserted))
  }

  /// The objects whose records the next save updates.
  public var updatedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.updated))
  }

  /// The objects whose records the next save removes, and those that a merge found removed, until changes are
  /// processed.
  public var deletedObjects: Set<ManagedObject> {
    checkQueue()
    return Set(changes.objects(.deleted)).union(merging.mergedDeletions)
  }

  /// All registered objects; unchanged ones only while the program holds them. They include objects that a merge
  /// found removed, until changes are processed.
  ///
  /// - Complexity: O(registered objects), no query.
  public var registeredObjects: Set<ManagedObject> {
    checkQueue()
    return Set(registry.all).union(merging.mergedDeletions)
  }

  /// Registers an object with a temporary ID, to be written by the next save; calls awakeFromInsert once.
  ///
  /// An object of another context is refused: it stays where it is, and the next save throws `differentContexts`. An
  /// object whose class is not the one of its entity is refused as well: `invalidValue`.
  ///
  /// A deleted object of this context is not deleted any more. If the delete rules were applied already, it is related
  /// again to what it was related to at the last save, except for objects that are deleted too. An object whose record
  /// is gone is refused: `objectReferentialIntegrity`.
  ///
  /// ```swift
  /// context.delete(person)
  /// context.insert(person)  // The next save does not remove the person.
  /// ```
  /// - Parameter object: An object without a context, or a deleted one of this context.
  /// - Complexity: O(1), no query; with relationships to restore, O(their destinations).
  public func insert(_ object: ManagedObject) {
    checkQueue()
    if object.context === self {
      if object.isLeaving { object.restoring.reinsert() }
      return
    }
    guard object.context == nil, !object.flags.contains(.gone) else {
      readErrors.refuse(
        PersistenceError(
          .differentContexts, "The object belongs to another context, or was deleted.",
          entityName: object.entity.name, objectIDs: [object.objectID]))
      return
    }
    register(inserting: object)
  }

  /// Assigns a new object to the store in which it will be saved.
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
    saving.assignments[ObjectIdentifier(object)] = store.identity
    object.objectID.wasAssigned(to: store.identity)
  }

  /// Returns the object with an ID, with its values read.
  ///
  /// - Throws: ``PersistenceError`` with code `objectReferentialIntegrity` when the record does not exist.
  /// - Complexity: At most one query.
  @_disfavoredOverload
  public func existingObject(with id: ObjectID) throws -> ManagedObject {
    checkQueue()
    upstream.learnPermanentIDs()
    let id = id.current
    if let known = registry.object(for: id), !known.isFault || known.isInserted {
      if known.isFault { _ = try known.readMemory() }
      return known
    }
    guard !id.isTemporaryID || parentContext != nil else {
      throw ManagedObjectContext.missingRecord(id)
    }
    statistics.roundTrips += 1
    guard let row = try upstream.storedRow(for: id) else {
      throw ManagedObjectContext.missingRecord(id)
    }
    if let known = registry.object(for: id) {
      if known.isFault { _ = known.restoring.awake(with: row) }
      return known
    }
    let binding = EntityBinding.binding(of: id.entity)
    return withExtendedLifetime((row, binding)) {
      let object = materializer.makeFault(
        forKey: id.key, in: id.scope, binding: binding, row: .passUnretained(row.storage))
      // An initializer may have accessed the values.
      if object.isFault { _ = object.awakeWithRow() }
      return object
    }
  }
}

// MARK: - Registering
