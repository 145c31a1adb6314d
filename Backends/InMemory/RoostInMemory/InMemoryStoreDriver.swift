// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

/// Opens stores in memory.
struct InMemoryStoreDriver: MetadataChangingDriver {
  var optionNames: Set<String>? {
    []
  }

  /// The name of the type in metadata.
  static let typeName = "InMemory"

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try KeyValueStore(
      engine: NamedMemory.shared.open(description.url), description: description,
      storeType: InMemoryStoreDriver.typeName)
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    guard let tables = NamedMemory.shared.tablesIfPresent(at: description.url) else { return nil }
    return try KeyValueStore.metadata(in: tables.version)
  }

  func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    try NamedMemory.shared.tables(at: description.url).write { version in
      var batch = WriteBatch()
      try KeyValueStore.changeMetadata(in: version, to: &batch, change)
      return version.applying(batch)
    }
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try NamedMemory.shared.destroy(
      description.url, isForced: description.isOn(StoreOption.forceDestroy))
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    _ = try NamedMemory.shared.put(
      copyOf: NamedMemory.shared.tables(at: source.url), at: destination.url,
      isForced: destination.isOn(StoreOption.forceDestroy))
  }
}

extension InMemoryStoreDriver: StagingLocationDriver {
  func secondPlace(
    of description: PersistentStoreDescription
  ) throws -> PersistentStoreDescription {
    guard let url = description.url, let place = URL(string: url.absoluteString + ".migrating")
    else {
      throw PersistenceError(
        .persistentStoreOpen, "A store in memory without a name has no place beside it.")
    }
    var result = description
    result.url = place
    return result
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    ifUnchangedSince mark: String
  ) throws -> Bool {
    try NamedMemory.shared.put(
      copyOf: NamedMemory.shared.tables(at: source.url), at: destination.url,
      isForced: destination.isOn(StoreOption.forceDestroy), ifUnchangedSince: mark)
  }

  func lockMigration(
    of description: PersistentStoreDescription, for use: StoreMigrationUse
  ) throws -> any StoreMigrationLock {
    try MemoryMigrationLock(description, use)
  }
}

/// Lets one thread at a time migrate a store in memory.
private final class MemoryMigrationLock: StoreMigrationLock {
  private struct Place: Hashable {
    let url: URL
    let use: StoreMigrationUse
  }

  private static let migrating = Mutex<Set<Place>>([])

  private let place: Place?
  /// Whether the place is this one's to give back: what throws in `init` is released, too.
  private var isHeld = false

  init(_ description: PersistentStoreDescription, _ use: StoreMigrationUse) throws {
    let deadline = Deadline(after: description.timeout)
    place = description.url.map { Place(url: $0, use: use) }
    guard let place else { return }
    while !Self.migrating.withLock({ $0.insert(place).inserted }) {
      guard !deadline.isOver else {
        throw PersistenceError(
          .storeBusy, "The store in memory is being migrated by another coordinator.",
          store: place.url.absoluteString)
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    isHeld = true
  }

  /// Nothing can take it away.
  func check() {}

  deinit {
    guard let place, isHeld else { return }
    Self.migrating.withLock { _ = $0.remove(place) }
  }
}
