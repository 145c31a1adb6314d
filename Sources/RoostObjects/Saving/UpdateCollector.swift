// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// Collects the updated records of a save.
struct UpdateCollector {
  private(set) var updates: [RowUpdate] = []
  private var scopes: [(scope: IDScope, count: Int)] = []
  /// The changed slots of the previous record: most records have the same ones, and share the list.
  private(set) var likelySlots: [Int] = []

  /// The expected number of records. Memory is taken with the first one: often only the other side of a new object's
  /// relationship has changed, and no record.
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - update: The update.
  ///   - scope: The scope of the record's ID.
  mutating func append(_ update: consuming RowUpdate, of scope: IDScope) {
    if updates.isEmpty { updates.reserveCapacity(capacity) }
    if let last = scopes.last, last.scope === scope {
      scopes[scopes.count - 1].count += 1
    } else {
      scopes.append((scope, 1))
    }
    updates.append(update)
  }

  /// Keeps the changed slots of a record, if they differ from those of the previous one.
  mutating func expect(_ slots: [Int]) {
    if slots != likelySlots { likelySlots = slots }
  }

  /// Refuses two updates of one record: objects exchange IDs while conflicts are resolved, by a policy of the program
  /// too, and one of two updates would be lost in silence.
  ///
  /// - Throws: `managedObjectMerge`.
  func checkIDs() throws {
    var seen = Set<ObjectID>()
    for id in records.ids where !seen.insert(id).inserted {
      throw PersistenceError(
        .managedObjectMerge, "Two objects are to be written as one record.",
        entityName: id.entity.name, objectIDs: [id])
    }
  }

  /// The collected records.
  var records: UpdatedRecords { UpdatedRecords(updates: updates, scopes: scopes) }
}
