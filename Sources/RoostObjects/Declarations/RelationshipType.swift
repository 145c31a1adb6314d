// SPDX-License-Identifier: Apache-2.0

/// The Swift type of a relationship, as a parameter of a ``PropertyDeclaration``.
///
/// ```swift
/// RelationshipType.to(Set<Person>.self)
/// ```
public struct RelationshipType<Destination: ManagedObject>: Sendable {
  let declaration: RelationshipDeclaration

  /// A to-one relationship.
  public static func to(
    _ type: Destination?.Type, default value: NoDestinations = nil
  ) -> RelationshipType {
    RelationshipType(
      declaration: RelationshipDeclaration(destination: Destination.self, isToMany: false))
  }

  /// A to-one relationship that must have a destination when it is saved.
  public static func to(_ type: Destination.Type) -> RelationshipType {
    RelationshipType(
      declaration: RelationshipDeclaration(
        destination: Destination.self, isToMany: false, isOptional: false))
  }

  /// A to-many relationship.
  public static func to(
    _ type: Set<Destination>.Type, default value: NoDestinations = []
  ) -> RelationshipType {
    RelationshipType(
      declaration: RelationshipDeclaration(destination: Destination.self, isToMany: true))
  }

  /// An ordered to-many relationship.
  public static func to(
    _ type: [Destination].Type, default value: NoDestinations = []
  ) -> RelationshipType {
    RelationshipType(
      declaration: RelationshipDeclaration(
        destination: Destination.self, isToMany: true, isOrdered: true))
  }
}

/// The only initial value that a relationship can have: nil, or an empty collection.
///
/// ```swift
/// @Relationship(inverse: \.author) var books: Set<Book> = []
/// ```
public struct NoDestinations: ExpressibleByNilLiteral, ExpressibleByArrayLiteral, Sendable {
  /// Creates the value for nil.
  public init(nilLiteral: ()) {}

  /// Creates the value for `[]`; there is no value of the element's type.
  public init(arrayLiteral elements: Never...) {}
}
