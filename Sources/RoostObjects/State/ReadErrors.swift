// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Reads that fail where nothing can be thrown.
extension ReadErrors {
  /// What `readError` is.
  package var currentReadError: PersistenceError? { context.unthrown.readFailures.error }

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
    if context.trapsOnReadErrors {
      preconditionFailure(
        "A value could not be read, and readErrorPolicy is trap: \(error) \(error.objectIDs)")
    }
    context.unthrown.readFailures.note(error, of: ids, key: key)
    context.readErrorHandler?(error)
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
    context.unthrown.refusedChanges.append(error)
  }

  /// Forgets what could not be thrown: nothing that was computed from it is left.
  func forgetUnthrown() {
    context.unthrown.readFailures.removeAll()
    context.unthrown.refusedChanges = []
  }
}
