// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Finds the transactions of one store that match a filter.
struct HistoryStoreSearch {
  private let filter: HistoryFilter
  private let withChanges: Bool
  /// The records of which one must have been changed; nil for any.
  private let records: RecordSelection?
  private var translation: HistoryTranslation

  /// - Parameter withChanges: Whether to include the changes also where the filter does not look at them.
  init(_ store: AttachedStore, _ filter: HistoryFilter, withChanges: Bool) {
    self.filter = filter
    self.withChanges = withChanges
    records = filter.objects.map { objects in
      RecordSelection(objects.filter { store.objectID(forKey: $0.key) == $0 }.map(\.key))
    }
    translation = HistoryTranslation(store)
  }

  /// Returns the matching part of a transaction; nil when nothing matches.
  mutating func wanted(_ stored: StoreTransaction) throws -> PersistentHistoryTransaction? {
    let header = try translation.transaction(stored, withChanges: false)
    guard try filter.mayWant(header) else { return nil }
    if let records, !(try stored.content.changes(anyOf: records)) { return nil }
    guard withChanges || filter.looksAtChanges else { return header }
    return try filter.wanted(of: try translation.transaction(stored, withChanges: true))
  }
}
