// SPDX-License-Identifier: Apache-2.0

/// Operations of a backend on stores that are not open: opening, reading metadata, destroying and replacing.
///
/// ```swift
/// let store = try PersistentStoreType.sqlite.driver.open(description)
/// ```
public protocol PersistentStoreDriver: Sendable {
  /// The names of the supported entries of ``PersistentStoreDescription/options``; nil when the driver checks them
  /// itself. The coordinator refuses all others before it calls the driver.
  ///
  /// ``StoreOption/forceDestroy``, ``StoreOption/remoteChangeNotification`` and ``StoreOption/historyTracking`` apply
  /// to every store and are not listed.
  var optionNames: Set<String>? { get }

  /// Opens the store at a location, or creates an empty one. The metadata of the result describes the model that it
  /// was written with; a new store has a new UUID and no hashes.
  ///
  /// A location without a file, or with an empty one, is a new store.
  ///
  /// - Parameter description: The location and the settings. The coordinator has refused options that are not among
  ///   ``optionNames``.
  /// - Throws: `persistentStoreTypeMismatch` for a file of another kind, `persistentStoreOpen`, `corruptStore`.
  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore

  /// Reads the metadata without opening the store for use; nil when there is no store.
  ///
  /// - Parameter description: The location of the store.
  /// - Throws: `persistentStoreTypeMismatch`, `persistentStoreOpen`, `corruptStore`.
  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata?

  /// Replaces the metadata of a store that is not open.
  ///
  /// - Parameters:
  ///   - metadata: The new metadata; store type, entity codes and version must not change.
  ///   - description: The location of the store.
  /// - Throws: `persistentStoreOpen` when there is none, `storeBusy`, `readOnlyStore`, `invalidValue` for another type,
  ///   other entity codes or another version.
  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription) throws

  /// Empties a store durably and removes its side files. A store that does not exist is not an error. The main file
  /// is truncated, which ``open(_:)`` treats as a new store; a file that is no store of the type is not touched.
  ///
  /// - Parameter description: The location of the store; the option ``StoreOption/forceDestroy`` overrides locks.
  /// - Throws: `storeBusy` when it is in use, `persistentStoreTypeMismatch` for a file of another kind, a folder, a
  ///   device.
  func destroy(_ description: PersistentStoreDescription) throws

  /// Replaces a store with a copy of another one; the copy is durable on return.
  ///
  /// - Parameters:
  ///   - destination: The store to overwrite, or to create when it does not exist.
  ///   - source: The store to copy; it is not changed. The copy keeps its UUID.
  /// - Throws: `persistentStoreOpen` when the source does not exist, `storeBusy`.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription) throws
}

extension PersistentStoreDriver {
  /// Nil: the driver checks its options itself.
  public var optionNames: Set<String>? { nil }
}
