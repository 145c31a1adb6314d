// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// As in Core Data, only models and entities are compared by content (B351).

extension ManagedObjectModel {
  /// Returns whether a value is a model with the same content.
  public func isEqual(_ object: Any?) -> Bool { (object as? ManagedObjectModel) == self }

  /// A hash of the model's content.
  public var hash: Int { hashValue }
}

extension EntityDescription {
  /// Returns whether a value is an entity with the same definition.
  public func isEqual(_ object: Any?) -> Bool { (object as? EntityDescription) == self }

  /// A hash of the entity's definition.
  public var hash: Int { hashValue }
}
