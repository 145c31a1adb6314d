// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

// Here, and not beside the protocol: what is below makes objects of a class that it has chosen itself.
extension EntityInstance {
  /// Creates an object of the class that an entity names, whatever class was asked for, and inserts it into a
  /// context unless that is nil.
  ///
  /// - Parameters:
  ///   - entity: The entity. An abstract one has no instances: the context does not take the object, and the next
  ///     save throws `abstractEntity`. Neither does it take one whose class cannot be the entity's: `invalidValue`.
  ///   - context: The context that is to know the object.
  /// - Complexity: No query.
  public init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    let wanted = Self.self as? ManagedObject.Type ?? ManagedObject.self
    guard let object = ManagedObject._make(wanted, entity, context) as? Self else {
      preconditionFailure("\(Self.self) is no class of managed objects.")
    }
    self = object
  }
}
