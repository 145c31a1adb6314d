// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a store says of itself: its type, its UUID, the hashes of the model that it was written with, and what the
/// program adds.
///
/// ```swift
/// let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
/// print(metadata.identifier, metadata.userValues["lastImport"] ?? "never")
/// ```
public struct StoreMetadata: Sendable, Hashable, Codable {
  /// The type of the store, as `sqlite`.
  public var storeType: String
  /// The store's UUID.
  public var identifier: String
  /// The version hash of each entity of the store's configuration.
  public var entityVersionHashes: [String: Data]
  /// The model's version identifiers.
  public var versionIdentifiers: [String]
  /// The model's checksum over the store's entities.
  public var versionChecksum: String
  /// The code that each entity has in this store's keys; codes of removed entities stay taken.
  public var entityCodes: [String: Int]
  /// What the program adds.
  public var userValues: [String: MetadataValue]
  /// What the records of each entity consist of, as ``EntityShape`` writes it; nil in stores of earlier versions.
  package var entityShapes: [String: String]?
  /// How often the store was brought to another version of its model; nil for never. A program that had it open before
  /// finds another number, and does not write records of the old version.
  package var epoch: Int?
  /// Whether the store keeps a history of its transactions; nil for no. Once it does, it goes on, also for programs
  /// that do not ask for it.
  package var historyTracking: Bool?
  /// Whether the history began with the store, before its first record; nil for no.
  package var historyFromStart: Bool?
  /// What the history keeps: `values`, or nil for what changed and no values. Once it keeps values, it goes on.
  package var historyLevel: String?
  /// Whether the store keeps the text of the model that it was written with; nil in stores of earlier versions, and in
  /// those that do not keep it.
  package var keepsModel: Bool?
  /// The codes of entities under the names that they had before they were renamed, so that old URIs still lead to
  /// their records; nil for none.
  package var formerNames: [String: Int]?
  /// The checksums of the versions that the store had before, the newest last; nil for none. A program with one of them
  /// is older than the store.
  package var formerVersions: [String]?
  /// What a migration has left for later; nil for nothing. The transaction that changes the version writes it, and that
  /// of each step takes the step away.
  package var deferredSteps: [DeferredStep]?
  /// The stores whose records were moved to this one, the newest last; nil for none. References of other stores to them
  /// are brought here.
  package var predecessors: [StoreSuccession]?
  /// The store to which the records are being moved, while references of other stores are brought there; nil for none.
  package var successor: StoreSuccession?
  /// Whether the store is a copy that is not complete; nil for no.
  private var unfinishedCopy: Bool?

  /// Whether the store was being made by `migratePersistentStore`, which did not come to its end. Such a store is not
  /// opened; the next migration to its place replaces it.
  public package(set) var isUnfinishedCopy: Bool {
    get { unfinishedCopy ?? false }
    set { unfinishedCopy = newValue ? true : nil }
  }

  /// Whether the store keeps a history of its transactions: see ``StoreHistory``.
  public var keepsHistory: Bool { historyTracking ?? false }

  /// Whether the history keeps the values from before each change: see ``StoreChangeSet/notingPrevious(of:from:)``.
  public var keepsPreviousValues: Bool { keepsHistory && historyLevel == Self.valuesLevel }

  /// Begins to keep a history, or goes on.
  ///
  /// - Parameter withValues: Whether previous values are kept from now on, if they were not before.
  package mutating func keepHistory(withValues: Bool) {
    historyTracking = true
    if withValues { historyLevel = Self.valuesLevel }
  }

  /// Goes on with the history that the stored metadata tell of.
  package mutating func goOnWithHistory(of stored: StoreMetadata) {
    if stored.keepsHistory { keepHistory(withValues: stored.keepsPreviousValues) }
  }

  private static let valuesLevel = "values"

  /// Makes metadata for a new store: no hashes, no codes.
  ///
  /// - Parameters:
  ///   - storeType: The type of the store.
  ///   - identifier: The store's UUID; a new one unless given.
  public init(storeType: String, identifier: String = UUID().uuidString) {
    self.storeType = storeType
    self.identifier = identifier
    entityVersionHashes = [:]
    versionIdentifiers = []
    versionChecksum = ""
    entityCodes = [:]
    userValues = [:]
  }
}

extension StoreMetadata {
  /// Whether a store that was used before begins to keep a history, or more of it, with these metadata. Who has it open
  /// from before would not write it, and has to open the store again.
  ///
  /// - Parameter stored: What is stored until now.
  package func beginsHistory(after stored: StoreMetadata) -> Bool {
    let isMore =
      keepsHistory && !stored.keepsHistory || keepsPreviousValues && !stored.keepsPreviousValues
    return isMore && !stored.entityVersionHashes.isEmpty
  }
}
