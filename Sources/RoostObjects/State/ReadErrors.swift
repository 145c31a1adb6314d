// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Read errors in places where nothing can be thrown.
extension ReadErrors {
  /// The value of `readError`.
  package var currentReadError: PersistenceError? { context.unthrown.readFailures.error }

  /// Records a read error, or ends the program, as the policy for read errors says.
  ///
  /// - Parameters:
  ///   - error: The error.
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

  /// Records an error that a method could not throw: an error of the caller for the next save, a failed read until it
  /// is handled.
  package func noteUnthrown(_ error: any Error, of object: ManagedObject, key: String? = nil) {
    let error = PersistenceError.wrapping(error)
    if error.isRefusal { return refuse(error) }
    let isRelationship = key.map { object.binding.relationship(named: $0)?.isToMany ?? false }
    noteReadFailure(error, of: [object.identity], key: isRelationship == true ? key : nil)
  }

  /// Records a change that was refused where nothing could be thrown. The next save throws it once; later saves save
  /// the graph as it is, without the change.
  package func refuse(_ error: PersistenceError) {
    context.unthrown.refusedChanges.append(error)
  }

  /// Forgets all recorded errors: no value computed from a failed read is left.
  func forgetUnthrown() {
    context.unthrown.readFailures.removeAll()
    context.unthrown.refusedChanges = []
  }
}
