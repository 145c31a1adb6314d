// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Which store to add, where, and how: what a container or coordinator is given.
///
/// Each backend adds a short way to make one, as `.sqlite(at:)` and `.inMemory()`.
///
/// ```swift
/// let description = PersistentStoreDescription.sqlite(at: URL(filePath: "hr.sqlite"))
/// ```
public struct PersistentStoreDescription: Sendable {
  /// The backend.
  public var type: PersistentStoreType
  /// The file, folder or server; nil for stores without a place.
  public var url: URL?
  /// The name of the configuration whose entities the store holds; nil for all (B229).
  public var configuration: String?
  /// Whether the store refuses to be written.
  public var isReadOnly = false
  /// How long a request waits for a busy store, in seconds.
  public var timeout: TimeInterval = 30
  /// Whether the container adds the store in the background (B333).
  public var shouldAddStoreAsynchronously = false
  /// Whether a store of another model version is migrated when it is added.
  public var shouldMigrateStoreAutomatically = true
  /// Whether the migration may be inferred.
  public var shouldInferMappingModelAutomatically = true
  /// Settings of the backend, by its own keys.
  public var options: [String: MetadataValue] = [:]

  /// Makes a description.
  public init(type: PersistentStoreType, url: URL? = nil, configuration: String? = nil) {
    self.type = type
    self.url = url
    self.configuration = configuration
  }
}

/// A kind of store: its name and how to open one.
public struct PersistentStoreType: Sendable, Hashable {
  /// The name, as it stands in metadata: `sqlite`.
  public let rawValue: String
  /// How to do without a coordinator what concerns a whole store.
  public let driver: any PersistentStoreDriver

  /// Makes a type.
  public init(rawValue: String, driver: any PersistentStoreDriver) {
    self.rawValue = rawValue
    self.driver = driver
  }

  public static func == (left: PersistentStoreType, right: PersistentStoreType) -> Bool {
    left.rawValue == right.rawValue
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
  }
}

/// What a backend does before there is a store object, and after.
public protocol PersistentStoreDriver: Sendable {
  /// Opens the store at a place, or makes an empty one. The metadata of the result says what it was written with; a
  /// new store has a new UUID and no hashes.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for a file of another kind, `persistentStoreOpen`, `corruptStore`.
  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore

  /// Reads the metadata without opening the store for use (B245); nil when there is no store.
  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata?

  /// Replaces the metadata of a store that is not open (B245).
  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription) throws

  /// Removes a store and its side files (B239).
  func destroy(_ description: PersistentStoreDescription) throws

  /// Puts a copy of a store in another's place (B240).
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription) throws
}
