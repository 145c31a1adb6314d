// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
package import RoostStore

/// Copies everything from a store to a new one of any type that can take its place: a backup, or the store that is
/// restored from one.
///
/// The copy has the UUID and the keys of the original, so object IDs, URIs and the references of other stores name the
/// same records in both. A coordinator can have only one of them. The history is not copied: that of the copy begins
/// anew, and tokens of the original have expired in it.
package struct IdenticalCopy {
  private let source: AttachedStore
  private let coordinator: PersistentStoreCoordinator
  private let description: PersistentStoreDescription
  private let progress: Progress?

  /// Makes a copy that ``run()`` carries out.
  ///
  /// - Parameters:
  ///   - source: An attached store. It stays attached.
  ///   - coordinator: The coordinator of the store.
  ///   - destination: The new store.
  ///   - progress: Reports the copied records; cancelling it cancels the copy.
  package init(
    of source: AttachedStore, in coordinator: PersistentStoreCoordinator,
    to destination: PersistentStoreDescription, progress: Progress? = nil
  ) {
    var description = destination
    description.configuration = source.store.description.configuration
    description.log = coordinator.makeLog(for: description)
    (self.source, self.coordinator, self.description) = (source, coordinator, description)
    self.progress = progress
  }

  /// Makes the copy, which is one snapshot of the source. It is closed afterwards.
  ///
  /// - Throws: `persistentStoreOpen` when there is a store at the destination, `storeBusy` when the source was written
  ///   during each attempt, `userCancelled`, or the error of a store. Then nothing is at the destination.
  package func run() throws {
    try coordinator.refuseDuplicate(of: description)
    let transfer = StoreTransfer(
      source: source, model: coordinator.managedObjectModel, description: description,
      clock: coordinator.clock, progress: progress, keepsIdentity: true)
    let filled = try transfer.fill(transfer.openDestination())
    filled.store.close()
    do {
      guard filled.translation.isIdentity else {
        throw PersistenceError(
          .persistentStoreSave, "The new store has given the numbers of the records away already.",
          store: filled.store.displayName)
      }
      try complete()
      try beginHistory()
    } catch {
      description.removeStore()
      throw error
    }
  }

  /// Gives the copy the identity of the source, and marks it as complete.
  private func complete() throws {
    let original = source.store.metadata
    try description.changeMetadata { metadata in
      metadata.identifier = original.identifier
      metadata.userValues = (source.pendingMetadata ?? original).userValues
      metadata.predecessors = original.predecessors
      metadata.endedSaves = original.endedSaves
      metadata.formerNames = original.formerNames
      metadata.formerVersions = original.formerVersions
      metadata.historyRetention = original.historyRetention
      metadata.isUnfinishedCopy = false
    }
  }

  /// Lets the copy keep a history if the source does; it begins with what is written to the copy.
  private func beginHistory() throws {
    let original = source.store.metadata
    guard original.keepsHistory else { return }
    var description = description
    description.options[StoreOption.historyTracking] = .boolean(true)
    if original.keepsPreviousValues {
      description.options[StoreOption.historyLevel] = .string("values")
    }
    try StoreOpening(
      model: coordinator.managedObjectModel, description: description,
      monitor: MigrationMonitor(clock: coordinator.clock)
    ).run().store.close()
  }
}
