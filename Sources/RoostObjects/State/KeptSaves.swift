// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// The saves that a context has not merged yet, in their order.
///
/// A context merges when it is used or when its queue is free; until then the list would grow with every save of the
/// others. Beyond ``recordLimit`` records it therefore names only the stores that were written: their objects are
/// compared with the store at the next merge, which costs one look at each registered object instead.
struct KeptSaves {
  /// The number of records that are named one by one.
  var recordLimit = 1 << 16
  private(set) var saves: [CommittedChanges] = []
  private var recordCount = 0

  var isEmpty: Bool { saves.isEmpty }

  /// Adds a save; summarizes the list if it names too many records.
  mutating func append(_ changes: CommittedChanges) {
    saves.append(changes)
    recordCount += changes.records.reduce(0) { $0 + $1.count }
    if recordCount > recordLimit { summarize() }
  }

  /// Returns the saves, and removes them.
  mutating func take() -> [CommittedChanges] {
    defer { removeAll() }
    return saves
  }

  mutating func removeAll() {
    saves = []
    recordCount = 0
  }

  /// Replaces the saves to stores by the names of these stores. The saves of a parent context stay as they are: their
  /// rows are in no store yet.
  private mutating func summarize() {
    var kept: [CommittedChanges] = []
    var summary = CommittedChanges()
    for changes in saves {
      guard let stores = changes.writtenStores else {
        kept.append(changes)
        continue
      }
      for store in stores where !summary.outdatedStores.contains(where: { $0 === store }) {
        summary.outdatedStores.append(store)
      }
      summary.token = summary.token.replaced(by: changes.token)
      summary.isRemote = summary.isRemote || changes.isRemote
    }
    saves = summary.outdatedStores.isEmpty ? kept : kept + [summary]
    recordCount = 0
  }
}

extension CommittedChanges {
  fileprivate var records: [[ObjectID]] { [inserted, updated, deleted, linked] }

  /// The stores with records of these changes; nil if a context made them, and no store has them.
  fileprivate var writtenStores: [StoreIdentity]? {
    guard rows.isEmpty else { return nil }
    var stores = outdatedStores
    for id in records.joined() {
      guard let store = id.storeIdentity else { return nil }
      if !stores.contains(where: { $0 === store }) { stores.append(store) }
    }
    return stores
  }
}
