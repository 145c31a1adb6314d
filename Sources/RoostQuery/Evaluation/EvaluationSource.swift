// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// What the shared evaluator needs to know of the things that it judges: rows of a store, or managed objects.
///
/// An item has the memory of a row, an identity, an entity and destinations. The evaluator reads attributes through the
/// memory and asks for everything else only when a condition leaves the item's own attributes.
///
/// ```swift
/// struct RowSource: EvaluationSource {
///   func base(of row: Row) -> UnsafeMutableRawPointer { row.base }
///   func identity(of row: Row) -> Int64 { row.key }
///   ...
/// }
/// ```
public protocol EvaluationSource {
  /// What is judged.
  associatedtype Item
  /// What tells two objects apart: equal exactly for the same object.
  associatedtype Identity: Hashable

  /// The beginning of the memory of the item's row, valid as long as the item is not changed.
  ///
  /// - Throws: What making the row available throws, as for a fault whose record is gone.
  func base(of item: Item) throws -> UnsafeMutableRawPointer

  /// The identity of an item.
  func identity(of item: Item) -> Identity

  /// The identity that an ID of a predicate's constant names; nil when no item of this source can have it, as for an
  /// ID of another store.
  func identity(for id: ObjectID) -> Identity?

  /// The ID of an identity, for the columns of a fetch.
  func objectID(for identity: Identity) -> ObjectID?

  /// The concrete entity of an item.
  func entity(of item: Item) -> EntityDescription

  /// The number that orders items that are equal in everything that a request sorts by: the record's key. Unsaved
  /// objects come after saved ones, in the order of their creation.
  func tieBreaker(of item: Item) -> Int64

  /// The destination of a to-one relationship; nil when there is none.
  func destination(of relationship: RelationshipDescription, from item: Item) throws -> Item?

  /// The identity of the destination of a to-one relationship, without a look at the destination; nil when there is
  /// none.
  func destinationIdentity(
    of relationship: RelationshipDescription, from item: Item
  ) throws -> Identity?

  /// The destinations of a to-many relationship, in any order.
  func destinations(of relationship: RelationshipDescription, from item: Item) throws -> [Item]
}
