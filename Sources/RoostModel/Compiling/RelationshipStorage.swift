// SPDX-License-Identifier: Apache-2.0

/// Where the destinations of a relationship are kept.
///
/// ```swift
/// switch relationship.storage {
/// case .toOne(let slot): return row.reference(slot)
/// case .inverseOfToOne, .links, .transient: return nil
/// }
/// ```
public enum RelationshipStorage: Sendable {
  /// In a slot of the source's row: the key of the destination.
  case toOne(RowSlot)
  /// In the rows of the destinations: their to-one inverse names the source, and where the relationship is ordered,
  /// `position` orders them. Both slots belong to the destination entity's layout.
  case inverseOfToOne(slot: RowSlot, position: RowSlot?)
  /// In a table of links. `isForward` tells whether the relationship is the one that owns the table.
  case links(LinkTable, isForward: Bool)
  /// In memory only.
  case transient
}

/// The links of a to-many relationship that has no to-one side: a set of pairs of keys.
///
/// The relationship with the smaller name (entity, then relationship, by UTF-8 bytes) owns the table. A relationship
/// that is its own inverse stores both directions of a link.
///
/// ```swift
/// for table in schema.linkTables { print(table.name, table.sourceIsOrdered) }
/// ```
public final class LinkTable: Sendable {
  /// The relationship that owns the table: links lead from its sources to its destinations.
  public unowned let relationship: RelationshipDescription
  /// The relationship that reads the table backwards; the owner itself when it is its own inverse.
  public unowned let inverse: RelationshipDescription?
  /// `Entity.relationship` of the owner.
  public let name: String
  /// Whether the destinations of each source have an order.
  public let sourceIsOrdered: Bool
  /// Whether the sources of each destination have an order.
  public let destinationIsOrdered: Bool

  init(relationship: RelationshipDescription, inverse: RelationshipDescription?, name: String) {
    self.relationship = relationship
    self.inverse = inverse
    self.name = name
    sourceIsOrdered = relationship.isOrdered
    destinationIsOrdered = inverse?.isOrdered ?? false
  }

  /// Whether the relationship is its own inverse, so that each link stands in the table in both directions.
  public var isSymmetric: Bool { relationship === inverse }

  /// What leads from destinations to sources: the inverse, or where there is none, a relationship that stands in no
  /// model and is good for asking stores.
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
