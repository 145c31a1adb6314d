// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostStore

// The story of a save (B161): graph, one immutable value, stores, receipt, graph.
extension ManagedObjectContext {
  /// Writes all changes to their stores. Each store writes all of its changes or none.
  ///
  /// Nothing is written before every object is valid. After an error all changes are still pending, and the save can be
  /// tried again. After `commitOutcomeUnknown` new objects have permanent IDs: if the store did write, another
  /// attempt throws `managedObjectMerge` and writes nothing twice.
  ///
  /// ```swift
  /// try context.save()
  /// ```
  /// - Throws: ``PersistenceError``: `validationMultipleErrors` or the one failure, `managedObjectMerge` when a
  ///   record was changed by another writer, `managedObjectConstraintMerge` when a unique value is taken,
  ///   both unless the ``mergePolicy`` resolves that,
  ///   `noStore`, `readOnlyStore`, `externalRelationship`, `persistentStoreIncompleteSave` when only some of several
  ///   stores took their part, `commitOutcomeUnknown`, what a property's setter could not throw, or
  ///   `readFailed` as long as there is a `readError`.
  /// - Complexity: One transaction a store, plus at most one query an entity to read what is changed but not read yet.
  ///   Without changes it does nothing; a context that was made by Core Data's names tells of it.
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

  /// Saves a context without a parent, and writes values to a store's metadata in the same transaction: they are there
  /// exactly if the changes are. Another save does not write them.
  ///
  /// - Parameters:
  ///   - values: The values by their names; nil for one that is taken away.
  ///   - store: The store.
  /// - Throws: What `save()` throws, and `storeRemoved` when the store is not attached. Nothing was written then.
  package func save(setting values: [String: MetadataValue?], of store: StoreIdentity) throws {
    saving.userValues = [store.identifier: values]
    defer { saving.userValues = [:] }
    try save()
  }

  /// How often a save that meets conflicts is tried before it gives up.
  static let saveAttempts = 16
}

extension PersistenceError {
  /// Whether a store may have written although the save failed.
  var mayHaveCommitted: Bool {
    code == .commitOutcomeUnknown || underlyingErrors.contains { $0.code == .commitOutcomeUnknown }
  }
}
