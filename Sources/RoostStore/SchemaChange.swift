// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The difference between two model versions, resolved for one store to slots, codes and storage of relationships, so
/// that no names have to be looked up.
///
/// ```swift
/// for entity in change.entities where entity.isRewritten { rewrite(entity) }
/// for move in change.moves { carry(move.from, to: move.to) }
/// ```
public struct SchemaChange: Sendable {
  /// The store's schema as it was written.
  public let source: StoreSchema
  /// The schema that the store is migrated to. A renamed entity keeps its code.
  public let destination: StoreSchema
  /// The metadata that the store must still have when the change is applied.
  public let metadata: StoreMetadata
  /// The concrete entities that can have records before and after, in the order of the destination.
  public let entities: [EntityChange]
  /// The concrete entities of the source whose records are deleted. Their codes stay reserved.
  public let removedEntities: [EntityDescription]
  /// The relationships whose storage, order or name changes, or whose inverse became ordered.
  public let moves: [RelationMove]
  /// The link tables that stay unchanged, under their present name. A table of the destination that is neither here
  /// nor in ``moves`` is new, even if the source has a table of the same name.
  public let keptLinkTables: [(source: LinkTable, destination: LinkTable)]
  /// The storages of the source whose links into other stores cannot be migrated: the change is refused when there are
  /// any.
  package let strandedPlaces: [RelationMove.Place]
  /// The renamed entities.
  public let renamedEntities: [(source: EntityDescription, destination: EntityDescription)]

  init(
    source: StoreSchema, destination: StoreSchema, metadata: StoreMetadata,
    entities: [EntityChange], removedEntities: [EntityDescription], moves: [RelationMove],
    keptLinkTables: [(source: LinkTable, destination: LinkTable)],
    strandedPlaces: [RelationMove.Place],
    renamedEntities: [(source: EntityDescription, destination: EntityDescription)]
  ) {
    self.source = source
    self.destination = destination
    self.metadata = metadata
    self.entities = entities
    self.removedEntities = removedEntities
    self.moves = moves
    self.keptLinkTables = keptLinkTables
    self.strandedPlaces = strandedPlaces
    self.renamedEntities = renamedEntities
  }

  /// Returns the moves that share their destination storage with a move, including itself.
  package func moves(sharing move: RelationMove) -> [RelationMove] {
    move.isShared ? moves.filter { $0.to.isSame(as: move.to) } : [move]
  }
}

/// The change of a concrete entity's records.
///
/// ```swift
/// for slot in entity.slots {
///   if case .constant(let value) = slot.origin { print(slot.name, "gets", value) }
/// }
/// ```
public struct EntityChange: Sendable {
  /// The entity in the source version.
  public let source: EntityDescription
  /// The entity in the destination version.
  public let destination: EntityDescription
  /// The code in the keys of its records, the same before and after.
  public let code: Int
  /// The origin of each stored slot of the destination, in the order of the layout.
  public let slots: [SlotChange]
  /// The stored slots of the source whose values are dropped, in the order of its layout, except those of
  /// relationships that move.
  public let removedSlots: [RowSlot]

  /// Whether records may have to be rewritten, apart from moves of relationships. Other changes concern only names,
  /// or the value that a missing slot reads as.
  public var isRewritten: Bool {
    slots.contains { slot in
      switch slot.origin {
      case .kept, .constant, .moved: false
      case .defaulted, .converted, .derived: true
      }
    }
  }
}

/// The origin of a slot's values.
///
/// ```swift
/// if case .kept(let old) = change.origin { copy(old, to: change.slot) }
/// ```
public struct SlotChange: Sendable {
  /// The slot in the destination's layout.
  public let slot: RowSlot
  /// The slot's name in the destination's layout.
  public let name: String
  /// The origin of its values.
  public let origin: Origin

  /// The origin of values.
  ///
  /// ```swift
  /// guard case .defaulted(let old, let value) = change.origin else { return }
  /// ```
  public enum Origin: Sendable {
    /// A slot of the source, unchanged.
    case kept(RowSlot)
    /// A slot of the source; nil is replaced by a value, because the attribute is required now.
    case defaulted(RowSlot, Value)
    /// A slot of the source whose values are converted.
    case converted(RowSlot, ValueConversion)
    /// The same value for all records: the default of a new attribute, or nil.
    case constant(Value)
    /// Values are computed, as for derived attributes.
    case derived
    /// A relationship that is new or was stored elsewhere: its values come from ``SchemaChange/moves`` only.
    case moved
  }
}
