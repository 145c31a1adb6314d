// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel

// Reads that fail where nothing can be thrown.
extension ManagedObjectContext {
  /// What `readError` is.
  package var currentReadError: PersistenceError? { readFailures.error }

  /// Remembers that something could not be read, as the policy for read errors wants it.
  ///
  /// - Parameters:
  ///   - error: What was thrown.
  ///   - ids: The objects that could not be read.
  ///   - key: The relationship that could not be read; nil for the values of the objects.
  package func noteReadFailure(_ error: any Error, of ids: [ObjectID], key: String? = nil) {
    var error = PersistenceError.wrapping(error)
    if error.objectIDs.isEmpty { error.objectIDs = ids }
    if error.entityName == nil { error.entityName = ids.first?.entity.name }
    if error.key == nil { error.key = key }
    if trapsOnReadErrors {
      preconditionFailure(
        "A value could not be read, and readErrorPolicy is trap: \(error) \(error.objectIDs)")
    }
    readFailures.note(error, of: ids, key: key)
    readErrorHandler?(error)
  }

  /// Applies delete rules at the end of an event, where nothing can be thrown. When they cannot be applied because the
  /// store cannot be read, the deletions wait for the end of the next event, or for the save.
  func propagateDeletesOrWait() {
    do throws(PersistenceError) {
      try propagateDeletes()
    } catch {
      readFailures.waitingDeletions = error
      readErrorHandler?(error)
    }
  }

  /// Remembers what a method could not throw: a mistake of the caller for the next save, a failed read until something
  /// is done about it.
  package func noteUnthrown(_ error: any Error, of object: ManagedObject, key: String? = nil) {
    let error = PersistenceError.wrapping(error)
    if error.isRefusal { return refuse(error) }
    let isRelationship = key.map { object.binding.relationship(named: $0)?.isToMany ?? false }
    noteReadFailure(error, of: [object.identity], key: isRelationship == true ? key : nil)
  }

  /// Remembers that a change was refused where nothing could be thrown; the next save throws it once, and those after
  /// it save the graph as it is: without the change.
  package func refuse(_ error: PersistenceError) {
    refusedChanges.append(error)
  }

  /// Throws what could not be read, and else, once, what was refused.
  func throwUnthrown() throws(PersistenceError) {
    if readFailures.waitingDeletions != nil { try propagateDeletes() }
    if let error = readFailures.error { throw error }
    guard let first = refusedChanges.first else { return }
    let errors = refusedChanges
    refusedChanges = []
    guard errors.count > 1 else { throw first }
    throw PersistenceError(
      .validationMultipleErrors, "\(errors.count) changes were refused since the last save.",
      underlyingErrors: errors)
  }

  /// Forgets what could not be thrown: nothing that was computed from it is left.
  func forgetUnthrown() {
    readFailures.removeAll()
    refusedChanges = []
  }

  /// Reads those of some objects again that could not be read, their relationships included; when that succeeds, their
  /// failures are forgotten.
  ///
  /// - Throws: What the stores throw; the failures stay then.
  /// - Complexity: One query for the values and one a relationship; none when nothing has failed.
  func readAgain(_ ids: [ObjectID]) throws {
    guard !readFailures.isEmpty else { return }
    let failed = ids.filter { readFailures.contains($0) }
    guard !failed.isEmpty else { return }
    let saved = failed.filter { !$0.isTemporaryID || parentContext != nil }
    if !saved.isEmpty {
      statistics.roundTrips += 1
      _ = try source().rows(for: saved, stalenessInterval: 0)
    }
    var sources: [ObjectIdentifier: (RelationshipDescription, [ManagedObject])] = [:]
    for id in failed {
      let object = object(with: id)
      for name in readFailures.relationships(of: id) {
        guard let relationship = object.binding.relationship(named: name), relationship.isToMany,
          object.hasUnloadedDestinations(relationship)
        else { continue }
        sources[ObjectIdentifier(relationship), default: (relationship, [])].1.append(object)
      }
    }
    for (relationship, objects) in sources.values {
      try loadDestinations(of: relationship, for: objects)
    }
    readFailures.forget(Set(failed))
  }
}

extension ManagedObject {
  /// Whether a to-many relationship of a saved object is yet to be read, whatever was added to it.
  final func hasUnloadedDestinations(_ relationship: RelationshipDescription) -> Bool {
    isKnownBelow && !toManyLinks(relationship).isLoaded
  }
}
