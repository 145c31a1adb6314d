// SPDX-License-Identifier: Apache-2.0

/// What is made of an entity: an object of the class that the entity names.
///
/// An initialiser of a class can only make an instance of that class, and a class that overrides one does not inherit
/// all others; those of a protocol return what they like, and every class has them.
///
/// ```swift
/// let person = ManagedObject(entity: personEntity, insertInto: context)
/// print(type(of: person))  // Person
/// ```
public protocol EntityInstance {}

extension ManagedObject: EntityInstance {}

extension EntityInstance where Self: ManagedObject {
  /// Creates an object of the entity that this class stands for, and inserts it into `context`: for a class that
  /// overrides `init(entity:insertInto:)`.
  ///
  /// - Parameter context: The context; its model has one entity of this class. Ask a class by its name: of one that is
  ///   in a variable, the variable's type is what counts, and a subclass with further properties ends the process.
  /// - Complexity: No query.
  public init(context: ManagedObjectContext) {
    self.init(entity: context.entity(for: Self.self), insertInto: context)
  }
}
