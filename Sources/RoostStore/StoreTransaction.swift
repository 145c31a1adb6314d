// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// One commit of a store, as its history tells it.
///
/// ```swift
/// for transaction in try store.history?.transactions(after: position, limit: 100) ?? [] {
///   print(transaction.number, transaction.content.origin.author ?? "-")
/// }
/// ```
public struct StoreTransaction: Sendable {
  /// The number, which is a larger one for each later transaction of an answer.
  public var number: Int64
  /// When it was, in seconds since 2001-01-01 00:00 UTC; never less than that of the transaction before.
  public var timestamp: Double
  /// What it did, and who.
  public var content: HistoryContent
  /// The position right after it.
  public var position: StorePosition

  /// Makes a transaction.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - timestamp: When it was.
  ///   - content: What it did.
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

/// What a transaction did to one record.
///
/// ```swift
/// let deleted = transaction.content.changes.filter { $0.kind == .delete }.map(\.key)
/// ```
public struct StoreRecordChange: Sendable {
  /// The record.
  public var key: Int64
  /// What was done.
  public var kind: Kind
  /// For an update, the names of the properties that changed, in the order of their UTF-8 bytes.
  public var properties: [String]
  /// For a deletion, the last values of the attributes that outlive their record; nil when there are none.
  public var tombstone: [String: Value]?
  /// What the slots that an update changed held before, or for a deletion all slots; nil where the history does not
  /// keep it, and for insertions.
  public var previous: [StorePreviousValue]?
  /// For a deletion, the version of the record, where the history keeps previous values.
  package var lastVersion: Int64?

  /// Makes a change.
  ///
  /// - Parameters:
  ///   - key: The record.
  ///   - kind: What was done.
  ///   - properties: For an update, the names of the properties that changed.
  ///   - tombstone: For a deletion, what is kept of the record.
  public init(
    key: Int64, kind: Kind, properties: [String] = [], tombstone: [String: Value]? = nil
  ) {
    self.key = key
    self.kind = kind
    self.properties = properties
    self.tombstone = tombstone
  }

  /// What was done to a record.
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
