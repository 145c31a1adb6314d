// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostStore

// The steps of a save (B161): graph, one immutable value, stores, receipt, graph.
extension ManagedObjectContext {
  /// Writes all changes to their stores. Each store writes all of its changes or none.
  ///
  /// Nothing is written before every object is valid. After an error all changes are still pending, and the save can
  /// be retried. After `commitOutcomeUnknown` new objects have permanent IDs: if the store did write, another attempt
  /// throws `managedObjectMerge` and writes nothing twice.
  ///
  /// ```swift
  /// try context.save()
  /// ```
  /// - Throws: ``PersistenceError``: `validationMultipleErrors` or the only failure, `managedObjectMerge` when a
  ///   record was changed by another writer, `managedObjectConstraintMerge` when a unique value is taken, both unless
  ///   the ``mergePolicy`` resolves the conflict, `noStore`, `readOnlyStore`, `externalRelationship`,
  ///   `persistentStoreIncompleteSave` when only some of several stores wrote their part, `commitOutcomeUnknown`, an
  ///   error that a property's setter could not throw, or `readFailed` as long as there is a `readError`.
  /// - Complexity: One transaction for each store, plus at most one query for each entity to read changed objects
  ///   that are faults. Without changes it does nothing; a context created by Core Data's names posts its
  ///   notifications.
  @_disfavoredOverload
  public func save() throws {
    checkQueue()
    try readErrors.throwUnthrown()
    let coordinator = try coordinator()
    invalidateRemovedStores()
    processPendingChanges()
    let hasWork =
      !changes.isEmpty || !saving.watched.isEmpty || !saving.userValues.isEmpty
      || coordinator.hasPendingMetadata
    guard hasWork || saver.tellEmptySave() else { return }
    try upstream.requirePresent()
    try saver.settle()
    if let parentContext {
      try saver.saveToParent(parentContext)
    } else {
      try saver.write(to: coordinator)
    }
  }

  /// Saves a context without a parent, and writes values to a store's metadata in the same transaction: both are
  /// committed, or neither. Later saves do not write the values.
  ///
  /// - Parameters:
  ///   - values: The values by name; nil to remove one.
  ///   - store: The store.
  /// - Throws: The errors of `save()`, and `storeRemoved` when the store is not attached. Nothing is written then.
  package func save(setting values: [String: MetadataValue?], of store: StoreIdentity) throws {
    saving.userValues = [store.identifier: values]
    defer { saving.userValues = [:] }
    try save()
  }

  /// The maximum number of attempts of a save that meets conflicts.
  static let saveAttempts = 16
}

extension PersistenceError {
  /// Whether a store may have committed although the save failed.
  var mayHaveCommitted: Bool {
    code == .commitOutcomeUnknown || underlyingErrors.contains { $0.code == .commitOutcomeUnknown }
  }
}
