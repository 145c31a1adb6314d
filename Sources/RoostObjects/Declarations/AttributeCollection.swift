// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A collection that an attribute keeps as JSON, and whose elements conditions can ask for.
protocol AttributeCollection {
  /// The type of the elements; nil when conditions cannot compare them.
  static var elementType: AttributeType? { get }
}

extension Array: AttributeCollection where Element: AttributeValue {
  static var elementType: AttributeType? { Element.typeAsElement }
}

extension Set: AttributeCollection where Element: AttributeValue {
  static var elementType: AttributeType? { Element.typeAsElement }
}

extension Optional: AttributeCollection where Wrapped: AttributeCollection {
  static var elementType: AttributeType? { Wrapped.elementType }
}

extension AttributeValue {
  /// The type of the values as elements of a collection; nil for optional ones, and for a program's own types, which
  /// may encode themselves in another form than their attribute type.
  fileprivate static var typeAsElement: AttributeType? {
    guard self is any AttributeEnumeration.Type || plainTypes.contains(ObjectIdentifier(self))
    else { return nil }
    return attributeType
  }

  /// The types that are encoded as values of their attribute type.
  private static var plainTypes: Set<ObjectIdentifier> {
    let types: [Any.Type] = [
      String.self, Int.self, Int16.self, Int32.self, Int64.self, Double.self, Float.self, Bool.self,
      Decimal.self, Date.self, UUID.self, URL.self, Data.self,
    ]
    return Set(types.map { ObjectIdentifier($0) })
  }
}
