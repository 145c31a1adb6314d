// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The new records of a save: their IDs, and beside them their rows, so that a save into one store hands its rows on as
/// they are.
package struct InsertedRecords: Sendable {
  /// The permanent IDs.
  package private(set) var ids: [ObjectID]
  /// The rows, in the order of the IDs.
  package private(set) var rows: [Row]

  /// Names records.
  ///
  /// - Parameters:
  ///   - ids: The permanent IDs.
  ///   - rows: A row for each ID.
  package init(ids: [ObjectID] = [], rows: [Row] = []) {
    precondition(ids.count == rows.count, "Every new record has an ID and a row.")
    self.ids = ids
    self.rows = rows
  }

  /// Whether there are none.
  package var isEmpty: Bool { ids.isEmpty }

  /// Adds a record.
  package mutating func append(_ record: InsertedRecord) {
    ids.append(record.id)
    rows.append(record.row)
  }

  /// Whether all records are of one store.
  var areOfOneStore: Bool {
    guard let first = ids.first else { return false }
    var last = first.scope
    for id in ids where id.scope !== last {
      guard id.storeIdentity === first.storeIdentity else { return false }
      last = id.scope
    }
    return true
  }
}
