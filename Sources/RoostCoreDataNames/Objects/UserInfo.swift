// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The dictionaries of a model as Core Data types them: optional, with any keys and values.
extension EntityDescription {
  /// What the program wants to know of the entity; keys are strings.
  public var userInfo: [AnyHashable: Any]? {
    get { UserInfo.foundation(ownUserInfo) }
    set { ownUserInfo = UserInfo.sendable(newValue) }
  }
}

extension PropertyDescription {
  /// What the program wants to know of the property; keys are strings.
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
