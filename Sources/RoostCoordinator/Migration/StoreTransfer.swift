// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostStore

/// Creates a new store with everything in one snapshot of another store, even while that is written.
///
/// From when the new store has its model until the copy is complete, its metadata mark it as unfinished: after a
/// crash in between, it cannot be mistaken for a complete store.
struct StoreTransfer {
  let source: AttachedStore
  let model: ManagedObjectModel
  /// The description of the new store.
  let description: PersistentStoreDescription
  let clock: @Sendable () -> Double
  let progress: Progress?
  /// Whether the new store takes the entity codes of the source, and stays marked as unfinished until the caller has
  /// given it the source's UUID.
  var keepsIdentity = false
  /// The number of attempts at copying a store without snapshots while it is being written.
  var attempts = 5

  /// Opens the new store. An unfinished copy of an earlier transfer is replaced.
  ///
  /// - Throws: `persistentStoreOpen` when there is another store at its URL.
  func openDestination() throws -> AttachedStore {
    let driver = description.type.driver
    if description.url != nil, let found = try driver.metadata(of: description) {
      // A store without hashes has never had a model, so it is empty.
      let isUnused = found.entityVersionHashes.isEmpty && found.userValues.isEmpty
      guard found.isUnfinishedCopy || isUnused else {
        throw PersistenceError(
          .persistentStoreOpen, "There is a store at this place already.",
          store: StoreNaming.displayName(
            url: description.url, identifier: description.type.rawValue))
      }
      try driver.destroy(description)
    }
    let opened = try StoreOpening(
      model: model, description: description, isCopy: true,
      entityCodes: keepsIdentity ? source.store.metadata.entityCodes : [:],
      monitor: MigrationMonitor(clock: clock)
    ).run()
    return AttachedStore(
      store: opened.store, schema: opened.schema, order: source.order,
      log: description.log ?? source.log, clock: clock)
  }

  /// Fills the new store; when the source was written meanwhile, starts again with another new store.
  ///
  /// - Parameter destination: The store that ``openDestination()`` returned. After an error it is removed.
  /// - Returns: The complete store, and the translation of keys from the source.
  /// - Throws: `storeBusy` when the source was written during every attempt, `userCancelled`, or the error of a
  ///   store.
  func fill(
    _ destination: AttachedStore
  ) throws -> (store: AttachedStore, translation: KeyTranslation) {
    if let coordinator = source.coordinator {
      try SaveRecovery(coordinator: coordinator).forgetDecisions(of: source)
    }
    var destination = destination
    var attempt = 1
    while true {
      do {
        if let translation = try copy(to: destination) { return (destination, translation) }
      } catch {
        discard(destination)
        throw error
      }
      discard(destination)
      guard attempt < attempts else {
        throw PersistenceError(
          .storeBusy,
          "Others wrote the store whenever it was copied. Try again when they are done.",
          store: source.displayName)
      }
      attempt += 1
      progress?.completedUnitCount = 0
      destination = try openDestination()
    }
  }

  /// Copies the source.
  ///
  /// - Returns: The translation of keys; nil when the copy is not one snapshot.
  private func copy(to destination: AttachedStore) throws -> KeyTranslation? {
    let userValues = (source.pendingMetadata ?? source.store.metadata).userValues
    if let snapshot = try source.requesting({ try $0.snapshots?.takeSnapshot() }) {
      let frozen = AttachedStore(frozen: snapshot, of: source)
      defer { frozen.letGo() }
      try requireNothingPrepared(in: snapshot)
      let copy = StoreCopy(source: frozen, destination: destination, progress: progress)
      let translation = try copy.run()
      if !keepsIdentity { try copy.finish(userValues: userValues, translation) }
      return translation
    }
    let before = try mark()
    try source.requesting(requireNothingPrepared)
    let copy = StoreCopy(source: source, destination: destination, progress: progress)
    let translation: KeyTranslation
    do {
      translation = try copy.run()
    } catch let error as PersistenceError where error.code != .userCancelled {
      // Missing or refused records may be the result of a concurrent write.
      guard try mark() != before else { throw error }
      return nil
    }
    guard try mark() == before else { return nil }
    if !keepsIdentity { try copy.finish(userValues: userValues, translation) }
    return translation
  }

  /// Throws when the store holds a part of an undecided save: the copy would not include it, whatever is decided. The
  /// copy also has another UUID, under which no decider knows it.
  private func requireNothingPrepared(in store: any PersistentStore) throws {
    try store.preparation?.requireNothingKept(in: source.displayName)
  }

  private func mark() throws -> String? {
    try source.requesting { try $0.changeMarks?.changeMark() }
  }

  /// Closes and removes the new store.
  private func discard(_ destination: AttachedStore) {
    destination.close()
    description.removeStore()
  }
}

extension PersistentStoreDescription {
  /// Removes a store that was newly created, with the empty file that may be left; errors are ignored, because
  /// another error is about to be thrown.
  func removeStore() {
    try? type.driver.destroy(self)
    guard let url, url.isFileURL,
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
      attributes[.type] as? FileAttributeType == .typeRegular,
      attributes[.size] as? Int == 0
    else { return }
    try? FileManager.default.removeItem(at: url)
  }
}

extension PersistenceError {
  /// Returns the error for a store that a migration left unfinished.
  package static func unfinishedCopy(_ store: String?) -> PersistenceError {
    PersistenceError(
      .persistentStoreOpen,
      "The store is an unfinished copy: the migration that was making it was interrupted. "
        + "Migrate to this place again, which replaces it, or destroy it.", store: store)
  }
}
