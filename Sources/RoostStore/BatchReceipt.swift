// SPDX-License-Identifier: Apache-2.0

/// What a coordinator says of a batch request besides the request itself.
///
/// ```swift
/// let changes = StoreChangeSet(origin: batch.terms.origin)
/// ```
public struct BatchTerms: Sendable {
  /// Who writes.
  public var origin: StoreChangeSet.Origin
  /// What the history is to say besides; nil where the store keeps none.
  public var notes: HistoryNotes?
  /// Whether the receipt is to name the records. A store may name them in any case.
  public var wantsKeys: Bool

  /// Makes the terms of a request.
  ///
  /// - Parameters:
  ///   - origin: Who writes.
  ///   - notes: What the history is to say besides.
  ///   - wantsKeys: Whether the receipt is to name the records.
  public init(
    origin: StoreChangeSet.Origin = StoreChangeSet.Origin(), notes: HistoryNotes? = nil,
    wantsKeys: Bool = true
  ) {
    self.origin = origin
    self.notes = notes
    self.wantsKeys = wantsKeys
  }
}

/// What a store says of a batch request that it has carried out.
///
/// ```swift
/// return BatchReceipt(count: keys.count, updated: keys)
/// ```
public struct BatchReceipt: Sendable {
  /// How many records were changed by an update, or removed by a deletion.
  public var count: Int
  /// The changed records: those that an update was about, or those that a deletion took a relationship from; nil where
  /// nobody has asked.
  public var updated: [Int64]?
  /// The removed records; nil where nobody has asked.
  public var deleted: [Int64]?
  /// The position in the store's history right after the request, where the store knows it without being asked.
  public var position: StorePosition?

  /// Makes a receipt.
  ///
  /// - Parameters:
  ///   - count: How many records were changed by an update, or removed by a deletion.
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

/// The records of a batch request as a history lists them.
package struct BatchRecords: Sendable {
  /// Records of one entity whose same slots have changed.
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
