// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The Swift type of a property and its initial value, as parameters of a ``PropertyDeclaration``.
///
/// ```swift
/// PropertyType.of(String?.self)
/// PropertyType.of(Kind.self, default: .guest)
/// ```
public struct PropertyType: Sendable {
  let content: PropertyDeclaration.Content

  init(_ attribute: AttributeDeclaration) {
    content = .attribute(attribute)
  }

  private init(_ relationship: RelationshipDeclaration) {
    content = .relationship(relationship)
  }

  // MARK: - Types that rows hold as they are

  /// An attribute of the type.
  public static func of<T: AttributeValue>(_ type: T.Type) -> PropertyType {
    PropertyType(AttributeDeclaration(T.self))
  }

  /// An attribute of the type with an initial value.
  public static func of<T: AttributeValue>(
    _ type: T.Type, default value: @autoclosure @escaping @Sendable () -> T
  ) -> PropertyType {
    var attribute = AttributeDeclaration(T.self)
    attribute.makeDefault = { value().attributeValue }
    attribute.makeObject = {
      let value = value()
      return value.attributeValue.isNull ? nil : value
    }
    return PropertyType(attribute)
  }

  // MARK: - Relationships without a macro of their own

  /// A to-one relationship.
  public static func of<Destination: ManagedObject>(
    _ type: Destination?.Type, default value: NoDestinations = nil
  ) -> PropertyType {
    PropertyType(RelationshipType.to(type).declaration)
  }

  /// A to-one relationship that must have a destination when it is saved.
  public static func of<Destination: ManagedObject>(_ type: Destination.Type) -> PropertyType {
    PropertyType(RelationshipType.to(type).declaration)
  }

  /// A to-many relationship.
  public static func of<Destination: ManagedObject>(
    _ type: Set<Destination>.Type, default value: NoDestinations = []
  ) -> PropertyType {
    PropertyType(RelationshipType.to(type).declaration)
  }

  /// An ordered to-many relationship.
  public static func of<Destination: ManagedObject>(
    _ type: [Destination].Type, default value: NoDestinations = []
  ) -> PropertyType {
    PropertyType(RelationshipType.to(type).declaration)
  }
}
