// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One operation of a store, as reported to a ``StoreInstrument`` when it begins.
///
/// ```swift
/// func operationBegan(_ operation: StoreOperation) {
///   if operation.isImplicit { print("\(operation.kind) of \(operation.storeName): \(operation.detail)") }
/// }
/// ```
public struct StoreOperation: Sendable, Identifiable {
  /// A number that is unique in the process.
  public let id: UInt64
  /// The enclosing operation, such as the batch update that a fetch belongs to; nil for none.
  public var parent: UInt64?
  /// The kind of operation.
  public var kind: Kind
  /// The name of the store: the last part of its URL, or its type where it has none. Empty for a batch request, whose
  /// parts name their stores.
  public var storeName: String
  /// The type of the store, as `SQLite`; empty for a batch request.
  public var storeType: String
  /// The identifier of the store; nil while the store is being opened, and for a batch request.
  public var storeIdentifier: String?
  /// The name of the entity whose records are concerned; nil for several entities, or none.
  public var entityName: String?
  /// A description of the request without stored values, such as `rows of Person, with a condition, limit 20`.
  public var detail: String
  /// The name of the requesting context; nil when it has none, or there is no context.
  public var contextName: String?
  /// The author of the requesting context; nil when it has none.
  public var author: String?
  /// The line of the program to which the requesting context attributes its requests; nil for none.
  public var callSite: CallSite?
  /// Whether the operation was implicit: a fault fired, or a relationship was read.
  public var isImplicit: Bool

  /// Makes an operation, for tests of an instrument.
  ///
  /// - Parameters:
  ///   - kind: The kind of operation.
  ///   - storeName: The name of the store.
  ///   - storeType: The type of the store.
  ///   - storeIdentifier: The identifier of the store; nil for none yet.
  ///   - entityName: The name of the entity; nil for several, or none.
  ///   - detail: A description of the request without stored values.
  ///   - contextName: The name of the context that asks.
  ///   - author: The author of the context that asks.
  ///   - isImplicit: Whether a fault or a relationship caused the operation.
  ///   - parent: The enclosing operation.
  ///   - callSite: The line of the program.
  public init(
    _ kind: Kind, storeName: String, storeType: String = "", storeIdentifier: String? = nil,
    entityName: String? = nil, detail: String = "", contextName: String? = nil,
    author: String? = nil, isImplicit: Bool = false, parent: UInt64? = nil,
    callSite: CallSite? = nil
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
    self.callSite = callSite
  }

  private static let lastNumber = Atomic<UInt64>(0)

  /// The kind of an operation; the raw value is its name in metrics.
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
    /// The in-memory part of a fetch: residual predicates, sorting, grouping. It reads only relationships from the
    /// store.
    case evaluation
    /// The commit of a save, or of a batch request.
    case commit
    /// A reservation of keys for new records.
    case reservation
    /// A snapshot of the store for repeated reads.
    case snapshot
    /// A read of the store's history, or a deletion from it.
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

    /// The name in metrics.
    public var description: String { rawValue }
  }
}
