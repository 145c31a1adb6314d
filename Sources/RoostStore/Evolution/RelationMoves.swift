// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Finds the relationships that move.
struct RelationMoves {
  private let matches: EntityMatches

  init(_ matches: EntityMatches) {
    self.matches = matches
  }

  /// The moves that bring a store to a schema.
  func all(to destination: StoreSchema) -> [RelationMove] {
    var moves: [RelationMove] = []
    var seen: Set<ObjectIdentifier> = []
    for entity in destination.entities {
      for relationship in entity.relationshipsInOrder
      where seen.insert(ObjectIdentifier(relationship)).inserted {
        if let move = move(to: relationship) { moves.append(move) }
      }
    }
    return moves
  }

  /// The move that fills the place of a relationship; nil when the place is that of its inverse, or nothing moves.
  private func move(to relationship: RelationshipDescription) -> RelationMove? {
    let place: RelationMove.Place
    switch relationship.storage {
    case .toOne: place = .slot(relationship)
    case .links(let table, isForward: true): place = .links(table)
    case .links, .inverseOfToOne, .transient: return nil
    }
    let found =
      matches.source(of: relationship).flatMap { origin(of: $0, isReversed: false) }
      ?? relationship.maintainedInverse.flatMap(matches.source(of:)).flatMap {
        origin(of: $0, isReversed: true)
      }
    guard let (from, isReversed) = found else { return nil }
    let move = RelationMove(from: from, to: place, isReversed: isReversed)
    return isNeeded(move) ? move : nil
  }

  /// Where the pairs of an old relationship are, and whether its sources are the second keys of the pairs that the new
  /// relationship has.
  private func origin(
    of old: RelationshipDescription, isReversed: Bool
  ) -> (RelationMove.Place, Bool)? {
    switch old.storage {
    case .toOne: (.slot(old), isReversed)
    case .inverseOfToOne: old.maintainedInverse.map { (.slot($0), !isReversed) }
    case .links(let table, let isForward): (.links(table), isForward == isReversed)
    case .transient: nil
    }
  }

  private func isNeeded(_ move: RelationMove) -> Bool {
    let firstsWereOrdered = move.isReversed ? move.from.ordersSeconds : move.from.ordersFirsts
    let secondsWereOrdered = move.isReversed ? move.from.ordersFirsts : move.from.ordersSeconds
    let isOrderNew =
      move.to.ordersFirsts && !firstsWereOrdered || move.to.ordersSeconds && !secondsWereOrdered
    switch (move.from, move.to) {
    case (.slot, .slot): return move.isReversed || isOrderNew
    case (.links(let old), .links(let new)):
      return isOrderNew || move.isReversed || old.name != new.name
        || old.isSymmetric != new.isSymmetric
    case (.slot, .links), (.links, .slot): return true
    }
  }
}
