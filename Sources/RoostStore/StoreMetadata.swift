// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The metadata of a store: its type, its UUID, the hashes of the model that it was written with, and the program's
/// own values.
///
/// ```swift
/// let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
/// print(metadata.identifier, metadata.userValues["lastImport"] ?? "never")
/// ```
public struct StoreMetadata: Sendable, Hashable, Codable {
  /// The type of the store, such as `sqlite`.
  public var storeType: String
  /// The store's UUID.
  public var identifier: String
  /// The version hash of each entity of the store's configuration.
  public var entityVersionHashes: [String: Data]
  /// The model's version identifiers.
  public var versionIdentifiers: [String]
  /// The model's checksum over the store's entities.
  public var versionChecksum: String
  /// The code of each entity in this store's keys; codes of removed entities stay reserved.
  public var entityCodes: [String: Int]
  /// The program's own values.
  public var userValues: [String: MetadataValue]
  /// The shape of each entity as the text of an ``EntityShape``; nil in stores of earlier releases.
  package var entityShapes: [String: String]?
  /// The number of migrations to another model version; nil for none. A program that opened the store before a
  /// migration detects the changed number, and does not write records of the old version.
  package var epoch: Int?
  /// Whether the store keeps a history of its transactions; nil for no. Once enabled it stays enabled, also for
  /// programs that do not request it.
  package var historyTracking: Bool?
  /// Whether the history began with the store, before its first record; nil for no.
  package var historyFromStart: Bool?
  /// The level of the history: `values`, or nil for changes without previous values. Once enabled, `values` stays
  /// enabled.
  package var historyLevel: String?
  /// The limits of the history, in the form of the option; nil for the usual ones. A program that adds the store with
  /// limits sets them, and programs that add it without any follow.
  package var historyRetention: MetadataValue?
  /// Whether the store keeps the text of the model that it was written with; nil in stores of earlier releases, and
  /// in those that do not keep it.
  package var keepsModel: Bool?
  /// The codes of renamed entities by their former names, so that old URIs still resolve; nil for none.
  package var formerNames: [String: Int]?
  /// The properties that names in the history mean, by entity and name: a list with more than one element for a name
  /// that had different meanings, with an empty text for a removed property. Nil, and missing names, for those that
  /// mean the property of that name.
  package var historyNames: [String: [String: [String]]]?
  /// The checksums of the store's former versions, the newest last; nil for none. A program with one of these
  /// versions is older than the store.
  package var formerVersions: [String]?
  /// The deferred steps of a migration; nil for none. The transaction that changes the version writes them, and the
  /// transaction of each step removes that step.
  package var deferredSteps: [DeferredStep]?
  /// The stores whose records were moved to this one, the newest last; nil for none. References of other stores to
  /// them are redirected to this store.
  package var predecessors: [StoreSuccession]?
  /// The store that the records are being moved to, while references of other stores are redirected; nil for none.
  package var successor: StoreSuccession?
  /// The saves over several stores whose outcome was set by hand, the oldest first; nil for none.
  package var endedSaves: [SaveEndedByHand]?
  /// Whether the store is an incomplete copy; nil for no.
  private var unfinishedCopy: Bool?

  /// Whether the store is the incomplete result of an interrupted `migratePersistentStore`. Such a store is not
  /// opened; the next migration to its location replaces it.
  public package(set) var isUnfinishedCopy: Bool {
    get { unfinishedCopy ?? false }
    set { unfinishedCopy = newValue ? true : nil }
  }

  /// Whether the store keeps a history of its transactions: see ``StoreHistory``.
  public var keepsHistory: Bool { historyTracking ?? false }

  /// Whether the history keeps the previous values of each change: see ``StoreChangeSet/notingPrevious(of:from:)``.
  public var keepsPreviousValues: Bool { keepsHistory && historyLevel == Self.valuesLevel }

  /// Enables the history, or leaves it enabled.
  ///
  /// - Parameter withValues: Whether previous values are kept from now on; values that are kept already stay enabled.
  package mutating func keepHistory(withValues: Bool) {
    historyTracking = true
    if withValues { historyLevel = Self.valuesLevel }
  }

  /// Takes over the history settings of the stored metadata.
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
  /// Whether these metadata enable the history, or previous values, in a store that was used before. Programs that
  /// have the store open would not write it, and have to reopen the store.
  ///
  /// - Parameter stored: The stored metadata.
  package func beginsHistory(after stored: StoreMetadata) -> Bool {
    let isMore =
      keepsHistory && !stored.keepsHistory || keepsPreviousValues && !stored.keepsPreviousValues
    return isMore && !stored.entityVersionHashes.isEmpty
  }
}

extension StoreMetadata {
  /// Returns whether no migration of the store lies between these metadata and others of it.
  ///
  /// ```swift
  /// guard metadata.isOfSameVersion(as: stored) else { throw refusal }
  /// ```
  /// - Parameter other: Metadata of the same store, as they are stored now.
  public func isOfSameVersion(as other: StoreMetadata) -> Bool { epoch == other.epoch }
}
