// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Of all that Core Data compares, models and entities alone are equal by what they say (B351).

extension ManagedObjectModel {
  /// Whether something is a model that says the same.
  public func isEqual(_ object: Any?) -> Bool { (object as? ManagedObjectModel) == self }

  /// A hash of what the model says.
  public var hash: Int { hashValue }
}

extension EntityDescription {
  /// Whether something is an entity that is defined alike.
  public func isEqual(_ object: Any?) -> Bool { (object as? EntityDescription) == self }

  /// A hash of what the entity says.
  public var hash: Int { hashValue }
}
