// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Finds the relationships that move.
struct RelationMoves {
  private let matches: EntityMatches

  init(_ matches: EntityMatches) {
    self.matches = matches
  }

  /// The moves that bring a store to a schema, and the tables of links that nothing is done to.
  func all(
    to destination: StoreSchema
  ) -> (
    moves: [RelationMove], keptTables: [(source: LinkTable, destination: LinkTable)]
  ) {
    var moves: [RelationMove] = []
    var keptTables: [(source: LinkTable, destination: LinkTable)] = []
    var seen: Set<ObjectIdentifier> = []
    for entity in destination.entities {
      for relationship in entity.relationshipsInOrder
      where seen.insert(ObjectIdentifier(relationship)).inserted {
        guard let move = move(to: relationship) else { continue }
        if isNeeded(move) {
          moves.append(move)
        } else if case .links(let old) = move.from, case .links(let new) = move.to {
          keptTables.append((old, new))
        }
      }
    }
    return (moves, keptTables)
  }

  /// The move that fills the place of a relationship, needed or not; nil when the place is that of its inverse, or the
  /// relationship is new.
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
    return RelationMove(from: from, to: place, isReversed: isReversed)
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
