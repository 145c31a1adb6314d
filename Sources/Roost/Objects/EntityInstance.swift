// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

/// What is made of an entity: an object of the class that the entity names.
///
/// An initialiser of a class can only make an instance of that class; one of a protocol returns what it likes. This is
/// the one that a program reaches when it asks `ManagedObject`, or a class that it has in a variable; a class that it
/// names makes its own objects.
///
/// ```swift
/// let person = ManagedObject(entity: personEntity, insertInto: context)
/// print(type(of: person))  // Person
/// ```
public protocol EntityInstance {}

extension ManagedObject: EntityInstance {}

extension EntityInstance {
  /// Creates an object of the class that an entity names, whatever class was asked for (B3), and inserts it into a
  /// context unless that is nil.
  ///
  /// - Parameters:
  ///   - entity: The entity. An abstract one has no instances (B23): the context does not take the object, and the next
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
