// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

// In this module and not beside the protocol: the modules below create objects only of classes that they have chosen
// themselves.
extension EntityInstance {
  /// Creates an object of the class that an entity names, regardless of the class it is called on, and inserts it
  /// into a context unless that is nil.
  ///
  /// - Parameters:
  ///   - entity: The entity. For an abstract one, which has no instances, the context does not accept the object, and
  ///     the next save throws `abstractEntity`. For a class that cannot be the entity's, it throws `invalidValue`.
  ///   - context: The context to insert the object into.
  /// - Complexity: No query.
  public init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    let wanted = Self.self as? ManagedObject.Type ?? ManagedObject.self
    guard let object = ManagedObject._make(wanted, entity, context) as? Self else {
      preconditionFailure("\(Self.self) is no class of managed objects.")
    }
    self = object
  }
}
