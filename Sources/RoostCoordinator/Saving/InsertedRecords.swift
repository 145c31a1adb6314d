// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The inserted records of a save: parallel arrays of IDs and rows, so that a save to one store passes the rows on as
/// they are.
package struct InsertedRecords: Sendable {
  /// The permanent IDs.
  package private(set) var ids: [ObjectID]
  /// The rows, in the order of the IDs.
  package private(set) var rows: [Row]

  /// Makes a list of records.
  ///
  /// - Parameters:
  ///   - ids: The permanent IDs.
  ///   - rows: A row for each ID.
  package init(ids: [ObjectID] = [], rows: [Row] = []) {
    precondition(ids.count == rows.count, "Every new record has an ID and a row.")
    self.ids = ids
    self.rows = rows
  }

  /// Whether there are no records.
  package var isEmpty: Bool { ids.isEmpty }

  /// Adds a record.
  package mutating func append(_ record: InsertedRecord) {
    ids.append(record.id)
    rows.append(record.row)
  }

  /// Whether all records belong to one store.
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
