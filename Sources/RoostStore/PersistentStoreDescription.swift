// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A description of a store for a container or coordinator to add: its type, its location and its settings.
///
/// Each backend has a function that makes one, such as `.sqlite(at:)` and `.inMemory()`.
///
/// ```swift
/// let description = PersistentStoreDescription.sqlite(at: URL(filePath: "hr.sqlite"))
/// ```
public struct PersistentStoreDescription: Sendable {
  /// The backend.
  public var type: PersistentStoreType
  /// The file, folder or server; nil for stores without a location.
  public var url: URL?
  /// The name of the configuration whose entities the store holds; nil for all.
  public var configuration: String?
  /// Whether the store is opened read-only; a save to it throws `readOnlyStore`.
  public var isReadOnly = false
  /// How long a request waits for a busy store, in seconds.
  public var timeout: TimeInterval = 30
  /// Whether the container adds the store in the background.
  public var shouldAddStoreAsynchronously = false
  /// Whether a store of another model version is migrated when it is added; otherwise it is refused with
  /// `persistentStoreIncompatibleVersionHash`.
  public var shouldMigrateStoreAutomatically = true
  /// Whether the migration may be inferred from the two models; otherwise ``migration`` must provide it.
  public var shouldInferMappingModelAutomatically = true
  /// Mapping models or stages for migrations that cannot be inferred, consulted before inference; nil for none.
  public var migration: (any StoreMigration)?
  /// The locations of earlier model versions, for stores that do not keep their model themselves, such as those of
  /// early releases of Roost: lock files (`.roostlock`), Xcode models (`.xcdatamodeld`, `.momd` and the like), or
  /// folders with these, such as the resources of a bundle.
  ///
  /// They are read when the model of a store is found neither in the store nor in ``migration``; lock files come
  /// last, and the first model with the store's version hashes is used.
  ///
  /// ```swift
  /// description.earlierModels = [URL(filePath: "Models/HR.roostlock")]
  /// ```
  public var earlierModels: [URL] = []
  /// The policy for stores of another model version.
  public var evolution = EvolutionPolicy.automatic
  /// Whether the store is opened without a migration although its model version differs.
  ///
  /// New optional properties read as nil, and new required attributes as their default. A change that would make
  /// values be misread is refused with `persistentStoreIncompatibleSchema`, and a unique constraint that existing
  /// records violate with `migrationConstraintViolation`.
  public var ignoresModelVersions = false
  /// Settings of the backend, by its own keys. An unknown key is refused with `invalidValue` when the store is added.
  public var options: [String: MetadataValue] = [:]
  /// Whether unknown options are ignored, as in Core Data, and not refused.
  package var passesOverUnknownOptions = false
  /// The log of the store's statements and scans. The coordinator sets it before it opens the store, and replaces any
  /// earlier value.
  public var log: StoreLog?

  /// Makes a description with Core Data's defaults: writable, migrated automatically with inference, added
  /// synchronously.
  ///
  /// - Parameters:
  ///   - type: The backend.
  ///   - url: The file, folder or server; nil for a store without a location.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public init(type: PersistentStoreType, url: URL? = nil, configuration: String? = nil) {
    self.type = type
    self.url = url
    self.configuration = configuration
  }
}
