// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One operation that a store was asked for, as a ``StoreInstrument`` is told of it when it begins.
///
/// ```swift
/// func operationBegan(_ operation: StoreOperation) {
///   if operation.isImplicit { print("\(operation.kind) of \(operation.storeName): \(operation.detail)") }
/// }
/// ```
public struct StoreOperation: Sendable, Identifiable {
  /// A number that no other operation of the process has.
  public let id: UInt64
  /// The operation that this one is a part of, as the fetch of a batch update is; nil for none.
  public var parent: UInt64?
  /// What is done.
  public var kind: Kind
  /// The name of the store: the last part of its URL, or its type where it has none. Empty for a batch request, whose
  /// parts name their stores.
  public var storeName: String
  /// The type of the store, as `SQLite`; empty for a batch request.
  public var storeType: String
  /// The identifier of the store; nil while the store is opened, and for a batch request.
  public var storeIdentifier: String?
  /// The name of the entity whose records are concerned; nil for several entities, or none.
  public var entityName: String?
  /// What is asked, in words and without stored values, as `rows of Person, with a condition, limit 20`.
  public var detail: String
  /// The name of the context that asks; nil when it has none, or none asks.
  public var contextName: String?
  /// The author of the context that asks; nil when it has none.
  public var author: String?
  /// Whether nobody asked in so many words: a fault fired, or a relationship was read.
  public var isImplicit: Bool

  /// Makes an operation, as a test of an instrument does.
  ///
  /// - Parameters:
  ///   - kind: What is done.
  ///   - storeName: The name of the store.
  ///   - storeType: The type of the store.
  ///   - storeIdentifier: The identifier of the store; nil for none yet.
  ///   - entityName: The name of the entity; nil for several, or none.
  ///   - detail: What is asked, in words and without stored values.
  ///   - contextName: The name of the context that asks.
  ///   - author: The author of the context that asks.
  ///   - isImplicit: Whether a fault or a relationship asks.
  ///   - parent: The operation that this one is a part of.
  public init(
    _ kind: Kind, storeName: String, storeType: String = "", storeIdentifier: String? = nil,
    entityName: String? = nil, detail: String = "", contextName: String? = nil,
    author: String? = nil, isImplicit: Bool = false, parent: UInt64? = nil
  ) {
    id = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    self.kind = kind
    self.storeName = storeName
    self.storeType = storeType
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.detail = detail
    self.contextName = contextName
    self.author = author
    self.isImplicit = isImplicit
    self.parent = parent
  }

  private static let lastNumber = Atomic<UInt64>(0)

  /// What is done; the raw value is the name that metrics use.
  ///
  /// ```swift
  /// let names = StoreOperation.Kind.allCases.map(\.rawValue)
  /// ```
  public enum Kind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A fetch of rows, keys or columns.
    case fetch
    /// A fetch of a number.
    case count
    /// Rows by their IDs: faults that fire, `existingObject(with:)`, a comparison of versions.
    case rows
    /// The destinations of a relationship.
    case relationships
    /// What a store left of a fetch, done in memory: conditions, an order, groups. It asks the store for nothing but
    /// relationships.
    case evaluation
    /// The commit of a save, or of a batch request.
    case commit
    /// A reservation of keys for new records.
    case reservation
    /// A snapshot of the store that is to be read for a while.
    case snapshot
    /// A question about the history of the store, or a deletion there.
    case history
    /// A batch insertion with all its parts.
    case batchInsert = "batch_insert"
    /// A batch update with all its parts.
    case batchUpdate = "batch_update"
    /// A batch deletion with all its parts.
    case batchDelete = "batch_delete"
    /// The opening of a store, with its migration.
    case opening
    /// A step of a migration.
    case migrationStep = "migration_step"

    /// The name that metrics use.
    public var description: String { rawValue }
  }
}
