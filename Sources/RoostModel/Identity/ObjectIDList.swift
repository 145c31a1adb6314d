// SPDX-License-Identifier: Apache-2.0

/// IDs in an order. Those of one entity in one store are kept as their keys and what they have in common: half the
/// memory, and no reference that is counted for each.
package struct ObjectIDList: RandomAccessCollection, Sendable {
  /// What all IDs have in common; nil when they have not.
  package let scope: IDScope?
  /// The keys of the IDs, where they have a scope in common; empty otherwise.
  package let keys: ContiguousArray<Int64>
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

  /// Some of the IDs, as a list of its own.
  package func part(_ range: Range<Int>) -> ObjectIDList {
    guard let scope else { return ObjectIDList(Array(ids[range])) }
    if range.count == keys.count { return self }
    return ObjectIDList(keys: ContiguousArray(keys[range]), scope: scope)
  }
}
