// SPDX-License-Identifier: Apache-2.0

/// The storage of a relationship's destinations.
///
/// ```swift
/// switch relationship.storage {
/// case .toOne(let slot): return row.reference(slot)
/// case .inverseOfToOne, .links, .transient: return nil
/// }
/// ```
public enum RelationshipStorage: Sendable {
  /// A slot of the source's row with the key of the destination, like a foreign key column.
  case toOne(RowSlot)
  /// The rows of the destinations: their to-one inverse refers to the source, and where the relationship is ordered,
  /// `position` orders them. Both slots belong to the destination entity's layout.
  case inverseOfToOne(slot: RowSlot, position: RowSlot?)
  /// A link table. `isForward` is true for the relationship that owns the table.
  case links(LinkTable, isForward: Bool)
  /// Memory only.
  case transient
}

/// The link table of a to-many relationship without a to-one side: a set of pairs of keys.
///
/// The relationship with the smaller name (entity, then relationship, by UTF-8 bytes) owns the table. A relationship
/// that is its own inverse stores both directions of a link.
///
/// ```swift
/// for table in schema.linkTables { print(table.name, table.sourceIsOrdered) }
/// ```
public final class LinkTable: Sendable {
  /// The relationship that owns the table and defines the direction of the links.
  public unowned let relationship: RelationshipDescription
  /// The relationship that reads the table backwards; the owner itself when it is its own inverse.
  public unowned let inverse: RelationshipDescription?
  /// `Entity.relationship` of the owner.
  public let name: String
  /// Whether the destinations of each source are ordered.
  public let sourceIsOrdered: Bool
  /// Whether the sources of each destination are ordered.
  public let destinationIsOrdered: Bool

  init(relationship: RelationshipDescription, inverse: RelationshipDescription?, name: String) {
    self.relationship = relationship
    self.inverse = inverse
    self.name = name
    sourceIsOrdered = relationship.isOrdered
    destinationIsOrdered = inverse?.isOrdered ?? false
  }

  /// Whether the relationship is its own inverse, so that the table has each link in both directions.
  public var isSymmetric: Bool { relationship === inverse }

  /// The relationship from destinations to sources: the inverse, or without one, a relationship outside the model
  /// that can be used in requests to stores.
  package var backwards: RelationshipDescription {
    if let inverse { return inverse }
    let backwards = RelationshipDescription(destination: relationship.entity)
    backwards.compiledStorage = .links(self, isForward: false)
    return backwards
  }
}

extension LinkTable: Hashable {
  /// Whether two variables hold the same table.
  public static func == (left: LinkTable, right: LinkTable) -> Bool { left === right }

  /// Hashes the table's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
