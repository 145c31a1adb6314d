// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A description of a store that a container or coordinator is to add: its type, its place and its settings.
///
/// Each backend has a function that makes one, such as `.sqlite(at:)` and `.inMemory()`.
///
/// ```swift
/// let description = PersistentStoreDescription.sqlite(at: URL(filePath: "hr.sqlite"))
/// ```
public struct PersistentStoreDescription: Sendable {
  /// The backend.
  public var type: PersistentStoreType
  /// The file, folder or server; nil for stores without a place.
  public var url: URL?
  /// The name of the configuration whose entities the store holds; nil for all.
  public var configuration: String?
  /// Whether the store is opened for reading only; a save that concerns it throws `readOnlyStore`.
  public var isReadOnly = false
  /// How long a request waits for a busy store, in seconds.
  public var timeout: TimeInterval = 30
  /// Whether the container adds the store in the background.
  public var shouldAddStoreAsynchronously = false
  /// Whether a store of another model version is migrated when it is added; else it is refused with
  /// `persistentStoreIncompatibleVersionHash`.
  public var shouldMigrateStoreAutomatically = true
  /// Whether the migration may be inferred from the two models; else ``migration`` has to know it.
  public var shouldInferMappingModelAutomatically = true
  /// Mapping models or stages for what cannot be inferred, asked before a migration is inferred; nil for none.
  public var migration: (any StoreMigration)?
  /// Where earlier versions of the model are, for stores that do not keep their model themselves, as those of an early
  /// version of Roost: lock files (`.roostlock`), models of Xcode's (`.xcdatamodeld`, `.momd` and their like), or
  /// folders with these, as the resources of a bundle.
  ///
  /// They are read when the model of a store is found neither in the store nor among those that ``migration`` names;
  /// lock files come last, and the first model whose version hashes are the store's is taken.
  ///
  /// ```swift
  /// description.earlierModels = [URL(filePath: "Models/HR.roostlock")]
  /// ```
  public var earlierModels: [URL] = []
  /// What may be done with a store of another model version.
  public var evolution = EvolutionPolicy.automatic
  /// Whether the store is used although its model version differs; nothing is migrated then.
  ///
  /// What is new and optional reads as nil, and records get the default of an attribute that must have a value. A
  /// change that would let values be read wrongly is refused with `persistentStoreIncompatibleSchema`, and a unique
  /// constraint that records violate with `migrationConstraintViolation`.
  public var ignoresModelVersions = false
  /// Settings of the backend, by its own keys. One that the backend does not know is refused with `invalidValue` when
  /// the store is added.
  public var options: [String: MetadataValue] = [:]
  /// Whether options that the backend does not know are ignored, as in Core Data, and not refused.
  package var passesOverUnknownOptions = false
  /// Where the store tells what it does. The coordinator sets it before it opens the store; what was set before is
  /// replaced.
  public var log: StoreLog?

  /// Makes a description with Core Data's defaults: read and write, migrate and infer, synchronously.
  ///
  /// - Parameters:
  ///   - type: The backend.
  ///   - url: The file, folder or server; nil for a store without a place.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public init(type: PersistentStoreType, url: URL? = nil, configuration: String? = nil) {
    self.type = type
    self.url = url
    self.configuration = configuration
  }
}
