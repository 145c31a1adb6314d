// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
package import RoostStore

/// The stores of a batch request, set by UUID or as store objects.
package struct AffectedStores {
  private var identities: [StoreIdentity]?

  init(identities: [StoreIdentity]? = nil) {
    self.identities = identities
  }

  /// The UUIDs; nil for all stores that hold the entity.
  var identifiers: [String]? {
    get { identities?.map(\.identifier) }
    set { identities = newValue?.map { StoreIdentity(identifier: $0, type: "") } }
  }

  /// The stores as they were set, without those that were removed since or were set by UUID.
  package var stores: [any PersistentStore]? {
    get { identities?.compactMap { ($0.attachedObject as? AttachedStore)?.store } }
    set { identities = newValue?.map(\.identity) }
  }
}
