// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// Gathers the changed records of a save.
struct UpdateCollector {
  private(set) var updates: [RowUpdate] = []
  private var scopes: [(scope: IDScope, count: Int)] = []
  /// The slots that changed of the record before: most change alike, and share the list.
  private(set) var likelySlots: [Int] = []

  init(capacity: Int) {
    updates.reserveCapacity(capacity)
  }

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - update: What changes.
  ///   - scope: The scope of the record's ID.
  mutating func append(_ update: consuming RowUpdate, of scope: IDScope) {
    if let last = scopes.last, last.scope === scope {
      scopes[scopes.count - 1].count += 1
    } else {
      scopes.append((scope, 1))
    }
    updates.append(update)
  }

  /// Remembers which slots changed of a record, if they are others than those of the one before.
  mutating func expect(_ slots: [Int]) {
    if slots != likelySlots { likelySlots = slots }
  }

  /// The records that were gathered.
  var records: UpdatedRecords { UpdatedRecords(updates: updates, scopes: scopes) }
}
