// SPDX-License-Identifier: Apache-2.0

/// A protocol whose initializers return an object of the class that the entity names.
///
/// An initialiser of a class can only create an instance of that class, and a class that overrides one does not
/// inherit all others. Initialisers of a protocol extension have neither limit.
///
/// ```swift
/// let person = ManagedObject(entity: personEntity, insertInto: context)
/// print(type(of: person))  // Person
/// ```
public protocol EntityInstance {}

extension ManagedObject: EntityInstance {}

extension EntityInstance where Self: ManagedObject {
  /// Creates an object of this class's entity, and inserts it into `context`: for a class that overrides
  /// `init(entity:insertInto:)`.
  ///
  /// - Parameter context: The context; its model has one entity of this class. Call the initializer on a class by
  ///   name: for a class in a variable the variable's static type counts, and a subclass with further properties ends
  ///   the process.
  /// - Complexity: No query.
  public init(context: ManagedObjectContext) {
    self.init(entity: context.entity(for: Self.self), insertInto: context)
  }
}
