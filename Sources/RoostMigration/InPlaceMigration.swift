// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// Migrates a store into a second place, and puts that in the place of the store.
struct InPlaceMigration {
  let store: PersistentStoreDescription
  let source: ManagedObjectModel
  let metadata: StoreMetadata
  let destination: ManagedObjectModel
  let mapping: MappingModel
  let reporter: MigrationReporter
  /// Whether the new objects are of the program's classes.
  var keepsClasses = false

  /// Most versions that a store remembers.
  private static let versionLimit = 256

  func run() throws {
    guard let url = store.url, url.isFileURL else { return try migrate() }
    let lock = try MigrationLock(url, timeout: store.timeout)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have done it while this one waited: then the store is opened as it is now.
    guard
      try store.type.driver.metadata(of: store)?.entityVersionHashes
        == metadata.entityVersionHashes
    else { return }
    try migrate()
  }

  private func migrate() throws {
    let place = try secondPlace()
    // What an earlier attempt has left.
    discard(place)
    let manager = MigrationManager(sourceModel: source, destinationModel: destination)
    manager.reporter = reporter
    let checksum = metadata.versionChecksum
    try manager.carryOut(
      MigrationRequest(
        source: store, destination: place, sourceModel: source, destinationModel: destination,
        mapping: mapping, keepsClasses: keepsClasses
      ) { new, old in
        new.epoch = (old.epoch ?? 0) + 1
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
    try driver.setMetadata(made, of: place)
    if store.evolution.backup == .beforeRewrite {
      try StoreBackup(description: store, checksum: checksum).make()
    }
    try replace(with: place)
  }

  /// Puts the migrated store into the place. Others may have the store open to look at its version, and wait for the
  /// lock then: they are waited for, but not those who use it.
  private func replace(with place: PersistentStoreDescription) throws {
    let deadline = Deadline(after: store.timeout)
    while true {
      do {
        return try store.type.driver.replace(store, with: place)
      } catch let error as PersistenceError where error.code == .storeBusy && !deadline.isOver {
        usleep(20_000)
      }
    }
  }

  private func secondPlace() throws -> PersistentStoreDescription {
    var place = store
    place.migration = nil
    if let driver = store.type.driver as? any SecondPlaceDriver {
      place = try driver.secondPlace(of: place)
    } else if let url = store.url, url.isFileURL || url.scheme == nil {
      place.url = url.deletingLastPathComponent()
        .appending(path: url.lastPathComponent + ".migrating", directoryHint: .notDirectory)
    } else {
      throw PersistenceError(
        .migration,
        "A store of the type \(store.type.rawValue) cannot be migrated in its place with a mapping "
          + "model: migrate it to another place with MigrationManager.migrateStore.",
        store: store.displayName)
    }
    return place
  }

  private func discard(_ place: PersistentStoreDescription) {
    place.discardStore()
  }
}
