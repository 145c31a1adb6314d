// SPDX-License-Identifier: Apache-2.0

/// IDs in an order. Those of one entity in one store are kept as their keys and what they have in common: half the
/// memory, and no reference that is counted for each.
package struct ObjectIDList: RandomAccessCollection, Sendable {
  /// What all IDs have in common; nil when they have not.
  package let scope: IDScope?
  private let keys: ContiguousArray<Int64>
  private let ids: [ObjectID]

  /// Keeps IDs as they are.
  package init(_ ids: [ObjectID]) {
    scope = nil
    keys = []
    self.ids = ids
  }

  /// Keeps the IDs of records of one entity in one store.
  package init(keys: ContiguousArray<Int64>, scope: IDScope) {
    self.scope = scope
    self.keys = keys
    ids = []
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { scope == nil ? ids.count : keys.count }

  package subscript(index: Int) -> ObjectID {
    guard let scope else { return ids[index] }
    return ObjectID(scope: scope, key: keys[index])
  }
}
