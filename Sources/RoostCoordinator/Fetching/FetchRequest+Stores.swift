// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery
public import RoostStore

extension FetchRequest {
  /// The stores that are searched; nil for all that hold the entity. Stores that were removed since they were
  /// set are not listed.
  ///
  /// ```swift
  /// request.affectedStores = [draftStore]
  /// ```
  @_disfavoredOverload
  public var affectedStores: [any PersistentStore]? {
    get {
      affectedStoreIdentities?.compactMap { ($0.attachedObject as? AttachedStore)?.store }
    }
    set { affectedStoreIdentities = newValue?.map(\.identity) }
  }
}
