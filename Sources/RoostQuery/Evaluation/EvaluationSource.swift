// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The data source of the shared evaluator, for the items that it evaluates: rows of a store, or managed objects.
///
/// An item has the memory of a row, an identity, an entity and destinations. The evaluator reads attributes from the
/// memory, and calls the other methods only for conditions beyond the item's own attributes.
///
/// ```swift
/// struct RowSource: EvaluationSource {
///   func base(of row: Row) -> UnsafeMutableRawPointer { row.base }
///   func identity(of row: Row) -> Int64 { row.key }
///   ...
/// }
/// ```
public protocol EvaluationSource {
  /// The evaluated item.
  associatedtype Item
  /// The identity of an item: equal exactly for the same object.
  associatedtype Identity: Hashable

  /// Returns the base address of the item's row memory, valid as long as the item is not changed.
  ///
  /// - Throws: The errors of loading the row, such as for a fault whose record was deleted.
  func base(of item: Item) throws -> UnsafeMutableRawPointer

  /// The identity of an item.
  func identity(of item: Item) -> Identity

  /// Returns the identity for an object ID in a predicate; nil when no item of this source can have it, such as for
  /// an ID of another store.
  func identity(for id: ObjectID) -> Identity?

  /// Returns the object ID of an identity, for the columns of a fetch.
  func objectID(for identity: Identity) -> ObjectID?

  /// Returns the concrete entity of an item.
  func entity(of item: Item) -> EntityDescription

  /// Returns the tie-breaker of an item for sorting: the record's key. Unsaved objects come after saved ones, in the
  /// order of their creation.
  func tieBreaker(of item: Item) -> Int64

  /// Returns the destination of a to-one relationship; nil when there is none.
  func destination(of relationship: RelationshipDescription, from item: Item) throws -> Item?

  /// Returns the identity of a to-one destination without loading the destination; nil when there is none.
  func destinationIdentity(
    of relationship: RelationshipDescription, from item: Item
  ) throws -> Identity?

  /// Returns the destinations of a to-many relationship, in any order.
  func destinations(of relationship: RelationshipDescription, from item: Item) throws -> [Item]
}
