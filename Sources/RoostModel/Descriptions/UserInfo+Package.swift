// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The dictionaries of a model for the product of Core Data's names, where `userInfo` has Core Data's type. They say
// nothing of the data, and Core Data lets a program change them in a model in use; so do these.
extension EntityDescription {
  /// What the program wants to know of the entity.
  package var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { keptUserInfo.withLock { $0 = newValue } }
  }
}

extension PropertyDescription {
  /// What the program wants to know of the property.
  package final var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { keptUserInfo.withLock { $0 = newValue } }
  }
}
