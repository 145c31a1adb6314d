// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The difference of two versions of a model, resolved for one store: slots, codes and places of relationships. No name
/// is looked up any more.
///
/// ```swift
/// for entity in change.entities where entity.isRewritten { rewrite(entity) }
/// for move in change.moves { carry(move.from, to: move.to) }
/// ```
public struct SchemaChange: Sendable {
  /// The store's schema as it was written.
  public let source: StoreSchema
  /// The schema that it is brought to. An entity that has another name now has the code that it had.
  public let destination: StoreSchema
  /// The metadata that the store must still have.
  public let metadata: StoreMetadata
  /// The concrete entities of which the store can have records before and after, in the order of the destination's.
  public let entities: [EntityChange]
  /// The concrete entities of the source whose records go, with the codes that stay taken.
  public let removedEntities: [EntityDescription]
  /// The relationships that are kept in another place, in another order or under another name, or whose other side got
  /// an order.
  public let moves: [RelationMove]
  /// The tables of links that stay as they are, under the name that they have. A table of the destination that is
  /// neither here nor in ``moves`` is a new one, even if the source has another of its name.
  public let keptLinkTables: [(source: LinkTable, destination: LinkTable)]
  /// The entities that have another name now.
  public let renamedEntities: [(source: EntityDescription, destination: EntityDescription)]

  init(
    source: StoreSchema, destination: StoreSchema, metadata: StoreMetadata,
    entities: [EntityChange], removedEntities: [EntityDescription], moves: [RelationMove],
    keptLinkTables: [(source: LinkTable, destination: LinkTable)],
    renamedEntities: [(source: EntityDescription, destination: EntityDescription)]
  ) {
    self.source = source
    self.destination = destination
    self.metadata = metadata
    self.entities = entities
    self.removedEntities = removedEntities
    self.moves = moves
    self.keptLinkTables = keptLinkTables
    self.renamedEntities = renamedEntities
  }

  /// The moves that share their place with one, itself too.
  package func moves(sharing move: RelationMove) -> [RelationMove] {
    move.isShared ? moves.filter { $0.to.isSame(as: move.to) } : [move]
  }
}

/// What becomes of the records of a concrete entity.
///
/// ```swift
/// for slot in entity.slots {
///   if case .constant(let value) = slot.origin { print(slot.name, "gets", value) }
/// }
/// ```
public struct EntityChange: Sendable {
  /// The entity as it was.
  public let source: EntityDescription
  /// The entity as it is to be.
  public let destination: EntityDescription
  /// The code in the keys of its records, the same before and after.
  public let code: Int
  /// Where each stored slot of the destination gets its values from, in the order of the layout.
  public let slots: [SlotChange]
  /// The stored slots of the source whose values go, in the order of its layout; without those of relationships that
  /// move.
  public let removedSlots: [RowSlot]

  /// Whether some record may have to be written anew, moves of relationships aside: other changes are in names, or in
  /// what a slot that a record lacks reads as.
  public var isRewritten: Bool {
    slots.contains { slot in
      switch slot.origin {
      case .kept, .constant, .moved: false
      case .defaulted, .converted, .derived: true
      }
    }
  }
}

/// Where a slot gets its values from.
///
/// ```swift
/// if case .kept(let old) = change.origin { copy(old, to: change.slot) }
/// ```
public struct SlotChange: Sendable {
  /// The slot in the destination's layout.
  public let slot: RowSlot
  /// The slot's name in the destination's layout.
  public let name: String
  /// Where its values come from.
  public let origin: Origin

  /// Where values come from.
  ///
  /// ```swift
  /// guard case .defaulted(let old, let value) = change.origin else { return }
  /// ```
  public enum Origin: Sendable {
    /// A slot of the source that has them as they are.
    case kept(RowSlot)
    /// A slot of the source; records without a value get one, because now they must have it.
    case defaulted(RowSlot, Value)
    /// A slot of the source whose values are held otherwise now.
    case converted(RowSlot, ValueConversion)
    /// All records get the same: the default of a new attribute, or nothing.
    case constant(Value)
    /// Values are computed, as those of derived attributes.
    case derived
    /// A relationship that is new or comes from another place: nothing but what ``SchemaChange/moves`` bring.
    case moved
  }
}
