// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The user info dictionaries of a model with Core Data's types: optional, with any keys and values.
extension EntityDescription {
  /// Information of the program about the entity; keys are strings.
  public var userInfo: [AnyHashable: Any]? {
    get { UserInfo.foundation(ownUserInfo) }
    set { ownUserInfo = UserInfo.sendable(newValue) }
  }
}

extension PropertyDescription {
  /// Information of the program about the property; keys are strings.
  public final var userInfo: [AnyHashable: Any]? {
    get { UserInfo.foundation(ownUserInfo) }
    set { ownUserInfo = UserInfo.sendable(newValue) }
  }
}

private enum UserInfo {
  static func foundation(_ userInfo: [String: any Sendable]) -> [AnyHashable: Any]? { userInfo }

  static func sendable(_ userInfo: [AnyHashable: Any]?) -> [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    for (key, value) in userInfo ?? [:] {
      guard let name = key as? String else {
        preconditionFailure("A key of a model's dictionary is a string, not a \(type(of: key)).")
      }
      result[name] = PropertyListCodec.sendable(value)
    }
    return result
  }
}
