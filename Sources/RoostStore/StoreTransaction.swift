// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// One commit of a store, as recorded in its history.
///
/// ```swift
/// for transaction in try store.history?.transactions(after: position, limit: 100) ?? [] {
///   print(transaction.number, transaction.content.origin.author ?? "-")
/// }
/// ```
public struct StoreTransaction: Sendable {
  /// The number; within a result, it increases with each transaction.
  public var number: Int64
  /// The time of the commit, in seconds since 2001-01-01 00:00 UTC; never less than that of the transaction before.
  public var timestamp: Double
  /// The changes and their origin.
  public var content: HistoryContent
  /// The position right after it.
  public var position: StorePosition

  /// Makes a transaction.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - timestamp: The time of the commit.
  ///   - content: The changes and their origin.
  ///   - position: The position right after it.
  public init(
    number: Int64, timestamp: Double, content: HistoryContent, position: StorePosition
  ) {
    self.number = number
    self.timestamp = timestamp
    self.content = content
    self.position = position
  }
}

/// The change of one record in a transaction.
///
/// ```swift
/// let deleted = transaction.content.changes.filter { $0.kind == .delete }.map(\.key)
/// ```
public struct StoreRecordChange: Sendable {
  /// The record.
  public var key: Int64
  /// The kind of change.
  public var kind: Kind
  /// For an update, the names of the properties that changed, in the order of their UTF-8 bytes.
  public var properties: [String]
  /// For a deletion, the last values of the attributes that are preserved on deletion; nil when there are none.
  public var tombstone: [String: Value]?
  /// The previous values: of the changed slots for an update, of all slots for a deletion; nil for insertions, and
  /// where the history does not keep them.
  public var previous: [StorePreviousValue]?
  /// For a deletion, the version of the record, where the history keeps previous values.
  package var lastVersion: Int64?

  /// Makes a change.
  ///
  /// - Parameters:
  ///   - key: The record.
  ///   - kind: The kind of change.
  ///   - properties: For an update, the names of the properties that changed.
  ///   - tombstone: For a deletion, the values of the tombstone.
  public init(
    key: Int64, kind: Kind, properties: [String] = [], tombstone: [String: Value]? = nil
  ) {
    self.key = key
    self.kind = kind
    self.properties = properties
    self.tombstone = tombstone
  }

  /// The kind of change of a record.
  ///
  /// ```swift
  /// if change.kind == .insert { count += 1 }
  /// ```
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// It was inserted.
    case insert = 0
    /// It was changed.
    case update = 1
    /// It was deleted.
    case delete = 2
  }
}
