// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A relationship, or a pair of inverse relationships, whose pairs of records move to another storage location.
///
/// ```swift
/// for pair in pairs(in: move.from) {
///   write(move.isReversed ? pair.reversed : pair, to: move.to)
/// }
/// ```
public struct RelationMove: Sendable {
  /// The storage of the pairs in the source schema.
  public let from: Place
  /// The storage of the pairs in the destination schema.
  public let to: Place
  /// Whether the first key of a pair in `from` is the second one of a pair in `to`.
  public let isReversed: Bool
  /// The index of the move among consecutive ones with the same `to`; nil when it is the only one. Shared moves
  /// deduplicate their pairs, and positions are assigned anew.
  package let shareIndex: Int?

  /// Whether other moves have the same `to`.
  package var isShared: Bool { shareIndex != nil }

  /// The storage location of pairs of records.
  ///
  /// ```swift
  /// switch place {
  /// case .slot(let relationship): print("in the rows of", relationship.entity?.name ?? "")
  /// case .links(let table): print("in", table.name)
  /// }
  /// ```
  public enum Place: Sendable {
    /// The slot of a to-one relationship: the first key of a pair is that of the row, the second one is in the slot.
    /// Where the inverse is ordered, a hidden slot has the position of the first key among those with the same second
    /// one.
    case slot(RelationshipDescription)
    /// A link table: the first key of a pair is the source.
    case links(LinkTable)
  }

  /// Whether the pairs stay in the slot, and only get positions or an inverse without storage.
  public var staysInSlot: Bool {
    if case .slot = from, case .slot = to { return !isReversed }
    return false
  }
}

extension RelationMove.Place {
  /// Whether the second keys of pairs with the same first key are ordered.
  public var ordersSeconds: Bool {
    switch self {
    case .slot: false
    case .links(let table): table.sourceIsOrdered
    }
  }

  /// Whether the first keys of pairs with the same second key are ordered.
  public var ordersFirsts: Bool {
    switch self {
    case .slot(let relationship): relationship.maintainedInverse?.isOrdered ?? false
    case .links(let table): table.destinationIsOrdered
    }
  }

  /// The position slot in the rows of the first keys; nil where there is none.
  public var positionSlot: RowSlot? {
    guard case .slot(let relationship) = self,
      case .inverseOfToOne(_, let position)? = relationship.maintainedInverse?.storage
    else { return nil }
    return position
  }

  /// Whether another place is the same one.
  package func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.slot(let one), .slot(let another)): one === another
    case (.links(let one), .links(let another)): one === another
    case (.slot, .links), (.links, .slot): false
    }
  }

  /// The concrete entities whose records can be the first of a pair.
  public var firstEntities: [EntityDescription] {
    switch self {
    case .slot(let relationship): relationship.entity?.concreteEntities ?? []
    case .links(let table): table.relationship.entity?.concreteEntities ?? []
    }
  }
}
