// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The updated records of a save: the row updates and the scopes of their IDs, so that a save to one store passes the
/// updates on as they are.
package struct UpdatedRecords: Sendable {
  /// The row updates, in order.
  package let updates: [RowUpdate]
  /// The scopes of the IDs, each with the number of consecutive records; the keys are in the rows.
  private let scopes: [(scope: IDScope, count: Int)]

  /// Makes a list of records.
  ///
  /// - Parameters:
  ///   - updates: The row updates; the rows hold the keys of their IDs.
  ///   - scopes: The scopes of the IDs, each with its number of records.
  package init(updates: [RowUpdate] = [], scopes: [(scope: IDScope, count: Int)] = []) {
    self.updates = updates
    self.scopes = scopes
  }

  /// Whether there are no records.
  package var isEmpty: Bool { updates.isEmpty }

  /// The ID of the first record.
  var firstID: ObjectID? {
    guard let scope = scopes.first?.scope, let update = updates.first else { return nil }
    return ObjectID(scope: scope, key: update.row.key)
  }

  /// The IDs of all records.
  package var ids: [ObjectID] {
    var result: [ObjectID] = []
    result.reserveCapacity(updates.count)
    for (scope, count) in scopes {
      for _ in 0..<count {
        result.append(ObjectID(scope: scope, key: updates[result.count].row.key))
      }
    }
    return result
  }

  /// Whether all records belong to one store.
  var areOfOneStore: Bool {
    guard let store = scopes.first?.scope.store else { return false }
    return scopes.allSatisfy { $0.scope.store === store }
  }
}
