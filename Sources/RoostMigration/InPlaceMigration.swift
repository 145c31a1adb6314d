// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// Migrates a store into a second place, and then replaces the store with the result.
struct InPlaceMigration {
  let store: PersistentStoreDescription
  let source: ManagedObjectModel
  let metadata: StoreMetadata
  let destination: ManagedObjectModel
  let mapping: MappingModel
  let reporter: MigrationReporter
  /// Whether the new objects use the program's classes.
  var keepsClasses = false
  /// Throws when the content of the store must not be migrated.
  var inspect: (StoreCensus) throws -> Void = { _ in }

  /// The most versions in a store's metadata.
  private static let versionLimit = 256

  /// The number of files as large as the store that are written: the new store, the copy that replaces the old one,
  /// and the backup.
  static func copies(of store: PersistentStoreDescription) -> Int64 {
    store.evolution.backup == .beforeRewrite ? 3 : 2
  }

  func run() throws {
    let lock = try store.lockMigration(for: .secondPlace)
    // Another process may have migrated the store while this one waited: then it is opened as it is.
    guard
      try store.type.driver.metadata(of: store)?.entityVersionHashes
        == metadata.entityVersionHashes
    else { return }
    try migrate(under: lock)
  }

  private func migrate(under lock: (any StoreMigrationLock)?) throws {
    defer { withExtendedLifetime(lock) {} }
    var place = try store.secondPlace()
    // The new store also keeps a history, which starts empty.
    if metadata.keepsHistory { place.options[StoreOption.historyTracking] = .boolean(true) }
    if metadata.keepsPreviousValues {
      place.options[StoreOption.historyLevel] = .string("values")
    }
    // Left by an earlier attempt.
    discard(place)
    let checksum = metadata.versionChecksum
    let backup = StoreBackup(description: store, checksum: checksum)
    let isCopied = store.evolution.backup == .beforeRewrite
    try StoreSpace(of: store).requireRoom(forCopies: Self.copies(of: store))
    if isCopied { try backup.make() }
    do {
      try migrate(to: place, under: lock)
    } catch {
      // The store is unchanged.
      if isCopied { backup.remove() }
      throw error
    }
  }

  private func migrate(
    to place: PersistentStoreDescription, under lock: (any StoreMigrationLock)?
  ) throws {
    try requireNothingPrepared()
    let replacement = try beginReplacement()
    let manager = MigrationManager(sourceModel: source, destinationModel: destination)
    manager.reporter = reporter
    let checksum = metadata.versionChecksum
    let mark = try manager.carryOut(
      MigrationRequest(
        source: store, destination: place, sourceModel: source, destinationModel: destination,
        mapping: mapping, keepsClasses: keepsClasses, inspect: inspect
      ) { new, old in
        new.epoch = (old.epoch ?? 0) + 1
        // Stores that were detached while this one was moved still refer to the records of its former places.
        new.predecessors = old.predecessors
        new.successor = old.successor
        new.endedSaves = old.endedSaves
        let former = (old.formerVersions ?? []) + [checksum]
        new.formerVersions = Array(
          former.filter { $0 != new.versionChecksum }.suffix(Self.versionLimit))
      })
    defer { discard(place) }
    let driver = store.type.driver
    guard var made = try driver.metadata(of: place) else {
      throw PersistenceError(
        .migration, "The migrated store is gone.", store: place.displayName)
    }
    made.identifier = metadata.identifier
    guard !made.isUnfinishedCopy else {
      throw PersistenceError.unfinishedCopy(place.displayName)
    }
    try driver.setMetadata(made, of: place)
    // Without it, another program may have begun to fill the same place.
    try lock?.check()
    try requireNothingPrepared()
    try replace(replacement, with: place, since: mark)
  }

  /// Begins to watch the store, before its first record is read. The option to force a destruction has no effect:
  /// what others save meanwhile would be lost.
  private func beginReplacement() throws -> (any StoreReplacement)? {
    var watched = store
    watched.options[StoreOption.forceDestroy] = nil
    return try (store.type.driver as? any ReplacementDriver)?.beginReplacement(of: watched)
  }

  /// Refuses to replace a store that keeps something of saves over several stores: the new one would not have it.
  private func requireNothingPrepared() throws {
    let opened = try store.type.driver.open(store)
    defer { opened.close() }
    try opened.preparation?.requireNothingKept(in: store.displayName)
  }

  /// Replaces the store with the migrated one, when all that have it open have closed it.
  ///
  /// - Throws: `storeBusy` when they do not in time, or have written the store.
  private func replace(
    _ replacement: (any StoreReplacement)?, with place: PersistentStoreDescription,
    since mark: String?
  ) throws {
    let deadline = Deadline(after: store.timeout)
    var isReplaced: Bool?
    while isReplaced == nil {
      do {
        isReplaced = try replaceOnce(replacement, with: place, since: mark)
      } catch let error as PersistenceError where error.code == .storeBusy && !deadline.isOver {
        usleep(20_000)
      }
    }
    guard isReplaced == true else { throw PersistenceError.writtenMeanwhile(store.displayName) }
  }

  /// - Returns: Whether the store was replaced; false when it was written since it was read.
  private func replaceOnce(
    _ replacement: (any StoreReplacement)?, with place: PersistentStoreDescription,
    since mark: String?
  ) throws -> Bool {
    if let replacement { return try replacement.replace(with: place) }
    if let mark, let driver = store.type.driver as? any StagingLocationDriver {
      return try driver.replace(store, with: place, ifUnchangedSince: mark)
    }
    try store.type.driver.replace(store, with: place)
    return true
  }

  private func discard(_ place: PersistentStoreDescription) {
    place.discardStore()
  }
}

extension PersistenceError {
  /// The error of a migration whose source was written by another process.
  static func writtenMeanwhile(_ store: String) -> PersistenceError {
    PersistenceError(
      .storeBusy, "Others wrote the store while it was migrated. Try again when they are done.",
      store: store)
  }
}
