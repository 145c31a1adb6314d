// SPDX-License-Identifier: Apache-2.0

/// The part of an answer that an offset and a limit select. The answer may come in several pieces.
struct HistoryWindow {
  /// Whether changes are counted, or transactions.
  let countsChanges: Bool
  /// The number of results still to skip.
  private(set) var skipped: Int
  /// The number of results still to take.
  private(set) var left: Int

  init(countsChanges: Bool, skipped: Int, left: Int) {
    (self.countsChanges, self.skipped, self.left) = (countsChanges, skipped, left)
  }

  /// Whether no further result is selected.
  var isFull: Bool { left == 0 }

  /// Returns the selected part of the next matches, which are in their final order.
  mutating func part(of found: [PersistentHistoryTransaction]) -> [PersistentHistoryTransaction] {
    guard countsChanges else {
      let part = found.dropFirst(skipped).prefix(left)
      skipped -= min(skipped, found.count)
      left -= part.count
      return Array(part)
    }
    var result: [PersistentHistoryTransaction] = []
    for transaction in found where left > 0 {
      var transaction = transaction
      let changes = transaction.changes ?? []
      let part = changes.dropFirst(skipped).prefix(left)
      skipped -= min(skipped, changes.count)
      left -= part.count
      transaction.changes = Array(part)
      if !part.isEmpty { result.append(transaction) }
    }
    return result
  }
}
