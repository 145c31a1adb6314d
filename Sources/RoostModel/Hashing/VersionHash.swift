// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Core Data's version hashes: the parts of a description that enter the digest, in order (B248, B249).
///
/// Class names, defaults, validation rules, delete rules, indexes, user info, renaming identifiers and transient or
/// fetched properties are not part of it.
enum VersionHash {
  /// Returns the common part of all properties: name, optionality, read-only flag and modifier.
  static func propertyPrefix(_ property: PropertyDescription) -> Data {
    let isReadOnly =
      property is DerivedAttributeDescription || property is FetchedPropertyDescription
    var bytes = SHA256()
    bytes.update(property.name.utf8)
    bytes.update([property.isOptional ? 1 : 0, isReadOnly ? 1 : 0])
    if let modifier = property.versionHashModifier { bytes.update(modifier.utf8) }
    return bytes.finish()
  }

  static func attribute(_ attribute: AttributeDescription) -> Data {
    var bytes = SHA256()
    bytes.update(propertyPrefix(attribute))
    bytes.update(littleEndian(attribute.type.rawValue))
    if attribute.allowsExternalBinaryDataStorage { bytes.update([1]) }
    if attribute.preservesValueInHistoryOnDeletion { bytes.update([1]) }
    return bytes.finish()
  }

  /// Returns the hash of a derived attribute, which depends only on its expression.
  static func derived(_ attribute: DerivedAttributeDescription) -> Data {
    SHA256.hash((attribute.derivationExpression?.expressionFormat ?? "").utf8)
  }

  /// Returns the hash of a composite, which depends only on its leaves, sorted by name. Leaves of one name in different
  /// composites within it are sorted by the names of these, whatever order their elements are in.
  static func composite(_ attribute: CompositeAttributeDescription) -> Data {
    var bytes = SHA256()
    let leaves = attribute.leaves.sorted { left, right in
      let order = UTF8Order.compare(left.attribute.name, right.attribute.name)
      return order != 0 ? order < 0 : UTF8Order.isLess(left.name, right.name)
    }
    for leaf in leaves { bytes.update(leaf.attribute.versionHash) }
    return bytes.finish()
  }

  static func relationship(_ relationship: RelationshipDescription) -> Data {
    var bytes = SHA256()
    bytes.update(propertyPrefix(relationship))
    // The names are still known after the entities were deallocated.
    let former = relationship.formerLink
    let destination = relationship.destinationEntity?.name ?? former?.destinationName
    bytes.update((destination ?? "").utf8)
    let inverse = relationship.inverseRelationship
    if let name = inverse?.name ?? former?.inverseName,
      inverse !== relationship, former?.isOwnInverse != true
    {
      bytes.update(name.utf8)
    }
    bytes.update(littleEndian(relationship.maxCount))
    bytes.update(littleEndian(relationship.minCount))
    if relationship.isOrdered { bytes.update([1, 0]) }
    return bytes.finish()
  }

  /// - Parameters:
  ///   - properties: All properties of the entity, including inherited ones.
  ///   - superhash: The hash of the superentity.
  ///   - propertyHash: The hash of a property.
  static func entity(
    _ entity: EntityDescription, properties: [PropertyDescription], superhash: Data?,
    propertyHash: (PropertyDescription) -> Data = \.versionHash
  ) -> Data {
    var bytes = SHA256()
    bytes.update((entity.name ?? "").utf8)
    bytes.update([entity.isAbstract ? 1 : 0])
    if let superhash { bytes.update(superhash) }
    let hashed = properties.filter { !$0.isTransient && !($0 is FetchedPropertyDescription) }
    for property in hashed.sorted(by: { UTF8Order.isLess($0.name, $1.name) }) {
      bytes.update(propertyHash(property))
    }
    let constraints = entity.uniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: UTF8Order.isLess) { bytes.update(constraint.utf8) }
    if let modifier = entity.versionHashModifier { bytes.update(modifier.utf8) }
    return bytes.finish()
  }

  private static func littleEndian(_ number: Int) -> [UInt8] {
    let bits = UInt32(truncatingIfNeeded: number)
    return (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
  }
}
