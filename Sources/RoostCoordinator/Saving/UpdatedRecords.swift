// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The changed records of a save: what a store is told of each, and whose they are, so that a save into one store hands
/// its changes on as they are.
package struct UpdatedRecords: Sendable {
  /// What a store is told, in their order.
  package let updates: [RowUpdate]
  /// The scopes of the IDs, and how many records each has before the next one comes; the rows have the keys.
  private let scopes: [(scope: IDScope, count: Int)]

  /// Names records.
  ///
  /// - Parameters:
  ///   - updates: What a store is told; the rows have the keys of their IDs.
  ///   - scopes: The scopes of the IDs, and how many records each has.
  package init(updates: [RowUpdate] = [], scopes: [(scope: IDScope, count: Int)] = []) {
    self.updates = updates
    self.scopes = scopes
  }

  /// Whether there are none.
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

  /// Whether all records are of one store.
  var areOfOneStore: Bool {
    guard let store = scopes.first?.scope.store else { return false }
    return scopes.allSatisfy { $0.scope.store === store }
  }
}
