// SPDX-License-Identifier: Apache-2.0

/// Additional terms that a coordinator passes with a batch request.
///
/// ```swift
/// let changes = StoreChangeSet(origin: batch.terms.origin)
/// ```
public struct BatchTerms: Sendable {
  /// The author and the context of the request.
  public var origin: StoreChangeSet.Origin
  /// Further data for the history transaction; nil where the store keeps no history.
  public var notes: HistoryNotes?
  /// Whether the receipt must list the records. A store may always list them.
  public var wantsKeys: Bool

  /// Makes the terms of a request.
  ///
  /// - Parameters:
  ///   - origin: The author and the context of the request.
  ///   - notes: Further data for the history transaction.
  ///   - wantsKeys: Whether the receipt must list the records.
  public init(
    origin: StoreChangeSet.Origin = StoreChangeSet.Origin(), notes: HistoryNotes? = nil,
    wantsKeys: Bool = true
  ) {
    self.origin = origin
    self.notes = notes
    self.wantsKeys = wantsKeys
  }
}

/// The receipt of an executed batch request.
///
/// ```swift
/// return BatchReceipt(count: keys.count, updated: keys)
/// ```
public struct BatchReceipt: Sendable {
  /// The number of records that an update changed, or a deletion removed.
  public var count: Int
  /// The keys of the changed records: those that an update matched, or those that lost a relationship by a deletion;
  /// nil unless requested.
  public var updated: [Int64]?
  /// The keys of the removed records; nil unless requested.
  public var deleted: [Int64]?
  /// The position in the store's history right after the request; nil where the store does not know it without
  /// another request.
  public var position: StorePosition?

  /// Makes a receipt.
  ///
  /// - Parameters:
  ///   - count: The number of records that an update changed, or a deletion removed.
  ///   - updated: The changed records.
  ///   - deleted: The removed records.
  ///   - position: The position in the store's history right after the request.
  public init(
    count: Int, updated: [Int64]? = nil, deleted: [Int64]? = nil, position: StorePosition? = nil
  ) {
    self.count = count
    self.updated = updated
    self.deleted = deleted
    self.position = position
  }
}

/// The records of a batch request, as listed in the history.
package struct BatchRecords: Sendable {
  /// Records of one entity with the same changed slots.
  package struct Updates: Sendable {
    package var code: Int
    package var slots: [Int]
    package var keys: [Int64]

    package init(code: Int, slots: [Int], keys: [Int64] = []) {
      self.code = code
      self.slots = slots
      self.keys = keys
    }
  }

  package var updates: [Updates] = []
  package var deleted: [Int64] = []

  package init() {}

  /// Adds a changed record.
  package mutating func add(_ key: Int64, slots: [Int], code: Int) {
    if let last = updates.indices.last, updates[last].code == code, updates[last].slots == slots {
      updates[last].keys.append(key)
    } else if let place = updates.firstIndex(where: { $0.code == code && $0.slots == slots }) {
      updates[place].keys.append(key)
    } else {
      updates.append(Updates(code: code, slots: slots, keys: [key]))
    }
  }
}
