// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The record layout of an entity: its superentity and the type of each stored property. A store keeps it as text, so
/// that a later model can be compared property by property; a version hash only tells that something differs.
package struct EntityShape: Equatable, Sendable {
  /// The name of the superentity; empty for none.
  package var superentity: String
  /// The type of each stored property, inherited ones too.
  package var types: [String: String]
  /// The properties that may be nil.
  package var optional: Set<String>

  /// Returns the shape of a model's entity.
  package init(_ entity: EntityDescription) {
    superentity = entity.superentity?.name ?? ""
    types = [:]
    optional = []
    for attribute in entity.attributesInOrder where !attribute.isTransient {
      types[attribute.name] = Self.type(attribute)
      if attribute.isOptional { optional.insert(attribute.name) }
    }
    for relationship in entity.relationshipsInOrder where !relationship.isTransient {
      types[relationship.name] = Self.type(relationship)
      if relationship.isOptional { optional.insert(relationship.name) }
    }
  }

  private static func type(_ attribute: AttributeDescription) -> String {
    switch attribute {
    case let composite as CompositeAttributeDescription:
      let elements = composite.allElements.map { element in
        "\(element.name) \((element as? AttributeDescription).map { "\($0.type)" } ?? "")"
          + (element.isOptional ? "?" : "")
      }
      return "composite of " + elements.sorted(by: UTF8Order.isLess).joined(separator: " ")
    case is DerivedAttributeDescription:
      // The hash stands in for the expression, whose text may contain quotation marks.
      return "derived \(attribute.type) \(attribute.versionHash.prefix(6).base64EncodedString())"
    default: return "\(attribute.type)"
    }
  }

  private static func type(_ relationship: RelationshipDescription) -> String {
    let kind =
      relationship.isToMany
      ? (relationship.isOrdered ? "ordered to-many" : "to-many") : "to-one"
    let inverse = relationship.inverseRelationship.map { " with inverse \($0.name)" } ?? ""
    return "\(kind) \(relationship.destinationEntity?.name ?? "")\(inverse)"
  }

  // MARK: Text

  /// The shape as a text: the superentity, and each property with its type, in the order of their names.
  package var text: String {
    let properties = types.sorted { UTF8Order.isLess($0.key, $1.key) }.map { name, type in
      "\(Self.escaped(name))=\(Self.escaped(type))\(optional.contains(name) ? "?" : "")"
    }
    return ([Self.escaped(superentity)] + properties).joined(separator: ";")
  }

  /// Parses the text of a shape; nil for text that ``text`` would not produce.
  package init?(_ text: String) {
    var parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard !parts.isEmpty, let superentity = String(parts.removeFirst()).removingPercentEncoding
    else { return nil }
    self.superentity = superentity
    types = [:]
    optional = []
    for part in parts {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let name = String(sides[0]).removingPercentEncoding else {
        return nil
      }
      let isOptional = sides[1].hasSuffix("?")
      guard let type = String(isOptional ? sides[1].dropLast() : sides[1]).removingPercentEncoding
      else { return nil }
      types[name] = type
      if isOptional { optional.insert(name) }
    }
  }

  private static let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: " _.-+/"))

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
