// SPDX-License-Identifier: Apache-2.0

/// What a backend does before there is a store object, and after.
///
/// ```swift
/// let store = try PersistentStoreType.sqlite.driver.open(description)
/// ```
public protocol PersistentStoreDriver: Sendable {
  /// The options that stores of the type know, by the names under which ``PersistentStoreDescription/options`` has
  /// them; nil when the driver checks them itself. The coordinator refuses all others before it calls the driver.
  ///
  /// ``StoreOption/forceDestroy``, ``StoreOption/remoteChangeNotification`` and ``StoreOption/historyTracking`` concern
  /// every store and are not named.
  var optionNames: Set<String>? { get }

  /// Opens the store at a place, or makes an empty one. The metadata of the result says what it was written with; a
  /// new store has a new UUID and no hashes.
  ///
  /// A location without a file, or with an empty one, is a new store.
  ///
  /// - Parameter description: Where and how. The coordinator has refused options that are not among
  ///   ``optionNames``.
  /// - Throws: `persistentStoreTypeMismatch` for a file of another kind, `persistentStoreOpen`, `corruptStore`.
  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore

  /// Reads the metadata without opening the store for use; nil when there is no store.
  ///
  /// - Parameter description: Where the store is.
  /// - Throws: `persistentStoreTypeMismatch`, `persistentStoreOpen`, `corruptStore`.
  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata?

  /// Replaces the metadata of a store that is not open.
  ///
  /// - Parameters:
  ///   - metadata: What to write; type and entity codes must stay what they are.
  ///   - description: Where the store is.
  /// - Throws: `persistentStoreOpen` when there is none, `storeBusy`, `readOnlyStore`.
  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription) throws

  /// Empties a store, durably, and removes its side files. A store that is not there is no error. Of a file an empty
  /// one is left, which ``open(_:)`` takes for a new store; what is no store of the type is left alone.
  ///
  /// - Parameter description: Where the store is; the option ``StoreOption/forceDestroy`` overrides locks.
  /// - Throws: `storeBusy` when it is in use, `persistentStoreTypeMismatch` for a file of another kind, a folder, a
  ///   device.
  func destroy(_ description: PersistentStoreDescription) throws

  /// Puts a copy of a store in another's place; the copy is durable when this returns.
  ///
  /// - Parameters:
  ///   - destination: What is overwritten, or made when it is not there.
  ///   - source: What is copied; it stays as it is. The copy keeps its UUID.
  /// - Throws: `persistentStoreOpen` when there is no source, `storeBusy`.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription) throws
}

extension PersistentStoreDriver {
  /// Nil: the driver checks its options itself.
  public var optionNames: Set<String>? { nil }
}
