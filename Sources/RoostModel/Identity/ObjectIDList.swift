// SPDX-License-Identifier: Apache-2.0

/// An ordered list of IDs. IDs of one entity in one store are kept as keys with a common scope, which takes half the
/// memory and no retain per ID.
package struct ObjectIDList: RandomAccessCollection, Sendable {
  /// The scope that all IDs share; nil when they do not.
  package let scope: IDScope?
  /// The keys of the IDs when they share a scope; empty otherwise.
  package let keys: ContiguousArray<Int64>
  private let ids: [ObjectID]

  /// Makes a list of any IDs.
  package init(_ ids: [ObjectID]) {
    scope = nil
    keys = []
    self.ids = ids
  }

  /// Makes a list of IDs of one entity in one store.
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

  /// Returns a range of the IDs as a list.
  package func part(_ range: Range<Int>) -> ObjectIDList {
    guard let scope else { return ObjectIDList(Array(ids[range])) }
    if range.count == keys.count { return self }
    return ObjectIDList(keys: ContiguousArray(keys[range]), scope: scope)
  }
}
