// SPDX-License-Identifier: Apache-2.0

/// The type of an index for an element.
///
/// ```swift
/// let east = FetchIndexElementDescription(property: longitude, collationType: .rTree)
/// ```
public enum FetchIndexElementType: Int, Sendable, Hashable {
  /// By value, as in a B-tree.
  case binary = 0
  /// As ranges of numbers, as in an R-tree.
  case rTree = 1
}

/// Describes one element of an index: a property or an expression, and how it is ordered.
///
/// ```swift
/// let byAge = FetchIndexElementDescription(property: age, isAscending: false)
/// ```
public final class FetchIndexElementDescription: ModelPart, @unchecked Sendable {
  // Sendable: written only while the model is built; `isFrozen` refuses writes once the model is in use.

  /// The property, or an ``ExpressionDescription``; nil when the element was made with a name alone.
  public var property: PropertyDescription? { willSet { willChange() } }
  /// How the entries are ordered.
  public var collationType: FetchIndexElementType { willSet { willChange() } }
  /// Whether the order is ascending.
  public var isAscending = true { willSet { willChange() } }

  private let givenName: String
  var owner = OwnerReference<FetchIndexDescription>()
  var isFrozen = false

  /// Makes an element for a property or an expression.
  public init(
    property: PropertyDescription, collationType: FetchIndexElementType = .binary,
    isAscending: Bool = true
  ) {
    self.property = property
    self.collationType = collationType
    self.isAscending = isAscending
    givenName = ""
  }

  /// Makes an element for the property with a name, or with a dot for the element of a composite: `address.city`.
  public init(
    propertyName: String, collationType: FetchIndexElementType = .binary, isAscending: Bool = true
  ) {
    self.collationType = collationType
    self.isAscending = isAscending
    givenName = propertyName
  }

  /// The name of the property.
  public var propertyName: String? { property?.name ?? givenName }

  /// The index; nil while the element has none.
  public var indexDescription: FetchIndexDescription? { owner.owner }

  /// Returns an element with the same settings, for the same property.
  public func copy() -> FetchIndexElementDescription {
    let copy = FetchIndexElementDescription(
      propertyName: givenName, collationType: collationType, isAscending: isAscending)
    copy.property = property
    return copy
  }
}
