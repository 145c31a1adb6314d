// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostStore

/// Makes a new store with everything that one snapshot of another store holds, even while it is written.
///
/// From the moment in which the new store knows its model until everything is in it, its metadata say that it is
/// unfinished: whatever ends the process in between, nobody takes the part for the whole.
struct StoreTransfer {
  let source: AttachedStore
  let model: ManagedObjectModel
  /// Where the new store is to be.
  let description: PersistentStoreDescription
  let clock: @Sendable () -> Double
  let progress: Progress?
  /// How often a copy is begun of a store that shows no snapshot, while others write it.
  var attempts = 5

  /// Opens the new store. One that an earlier transfer has left unfinished is replaced.
  ///
  /// - Throws: `persistentStoreOpen` when there is another store.
  func openDestination() throws -> AttachedStore {
    let driver = description.type.driver
    if description.url != nil, let found = try driver.metadata(of: description) {
      // Without hashes it has never known a model, so nothing is in it.
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
      model: model, description: description, isCopy: true, monitor: MigrationMonitor(clock: clock)
    ).run()
    return AttachedStore(
      store: opened.store, schema: opened.schema, order: source.order,
      log: description.log ?? source.log, clock: clock)
  }

  /// Fills the new store, which is replaced by another new one when others wrote the source meanwhile.
  ///
  /// - Parameter destination: What ``openDestination()`` returned. After an error it is removed.
  /// - Returns: The store that is whole, and how the keys of the source are written there.
  /// - Throws: `storeBusy` when others wrote during every attempt, `userCancelled`, or what the stores throw.
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

  /// Copies what the source holds.
  ///
  /// - Returns: How keys were written; nil when the copy is not of one snapshot.
  private func copy(to destination: AttachedStore) throws -> KeyTranslation? {
    let userValues = (source.pendingMetadata ?? source.store.metadata).userValues
    if let snapshot = try source.requesting({ try $0.snapshots?.takeSnapshot() }) {
      let frozen = AttachedStore(frozen: snapshot, of: source)
      defer { frozen.letGo() }
      try requireNothingPrepared(in: snapshot)
      let copy = StoreCopy(source: frozen, destination: destination, progress: progress)
      let translation = try copy.run()
      try copy.finish(userValues: userValues, translation)
      return translation
    }
    let before = try mark()
    try source.requesting(requireNothingPrepared)
    let copy = StoreCopy(source: source, destination: destination, progress: progress)
    let translation: KeyTranslation
    do {
      translation = try copy.run()
    } catch let error as PersistenceError where error.code != .userCancelled {
      // What is missing or refused may be no more than the trace of a write.
      guard try mark() != before else { throw error }
      return nil
    }
    guard try mark() == before else { return nil }
    try copy.finish(userValues: userValues, translation)
    return translation
  }

  /// Refuses to copy a store that holds a part of a save which is not decided: the copy would not have it, whatever is
  /// decided. The copy has another UUID, too, under which nobody would ask it for a decision.
  private func requireNothingPrepared(in store: any PersistentStore) throws {
    try store.preparation?.requireNothingKept(in: source.displayName)
  }

  private func mark() throws -> String? {
    try source.requesting { try $0.changeMarks?.changeMark() }
  }

  /// Removes what was made.
  private func discard(_ destination: AttachedStore) {
    destination.close()
    description.removeStore()
  }
}

extension PersistentStoreDescription {
  /// Removes a store that was made where there was none, with the empty file that is left of it; as far as that is
  /// possible, because an error is on its way already.
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
  /// What is said of a store that a migration did not finish.
  package static func unfinishedCopy(_ store: String?) -> PersistenceError {
    PersistenceError(
      .persistentStoreOpen,
      "The store is an unfinished copy: the migration that was making it was interrupted. "
        + "Migrate to this place again, which replaces it, or destroy it.", store: store)
  }
}
