// SPDX-License-Identifier: Apache-2.0

// The dictionaries of a model for the product of Core Data's names, where `userInfo` has Core Data's type.
extension EntityDescription {
  /// What the program wants to know of the entity.
  package var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { userInfo = newValue }
  }
}

extension PropertyDescription {
  /// What the program wants to know of the property.
  package final var ownUserInfo: [String: any Sendable] {
    get { userInfo }
    set { userInfo = newValue }
  }
}
