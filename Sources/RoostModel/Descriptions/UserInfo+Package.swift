// SPDX-License-Identifier: Apache-2.0

import Synchronization

// User info accessors for the product `RoostCoreDataNames`, where `userInfo` has Core Data's type. User info has no
// influence on the data, and Core Data lets a program change it in a model in use; so do these.
extension EntityDescription {
  /// The program's own data for the entity.
  package var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { keptUserInfo.withLock { $0 = newValue } }
  }
}

extension PropertyDescription {
  /// The program's own data for the property.
  package final var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { keptUserInfo.withLock { $0 = newValue } }
  }
}
