// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Determines the relationships whose storage changes.
struct RelationMoves {
  private let matches: EntityMatches

  init(_ matches: EntityMatches) {
    self.matches = matches
  }

  /// Returns the moves of a migration to a schema, and the link tables that stay unchanged.
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
        let found = self.moves(to: relationship)
        guard found.count == 1 else {
          if areNeeded(found) { moves += found }
          continue
        }
        let move = found[0]
        if isNeeded(move) {
          moves.append(move)
        } else if case .links(let old) = move.from, case .links(let new) = move.to {
          keptTables.append((old, new))
        }
      }
    }
    return (moves, keptTables)
  }

  /// Returns the moves into the storage of a relationship, needed or not; none when its inverse has the storage, or
  /// the relationship is new.
  private func moves(to relationship: RelationshipDescription) -> [RelationMove] {
    let place: RelationMove.Place
    switch relationship.storage {
    case .toOne: place = .slot(relationship)
    case .links(let table, isForward: true): place = .links(table)
    case .links, .inverseOfToOne, .transient: return []
    }
    let origins = origins(of: relationship, in: place)
    return origins.enumerated().map { index, origin in
      RelationMove(
        from: origin.place, to: place, isReversed: origin.isReversed,
        shareIndex: origins.count > 1 ? index : nil)
    }
  }

  /// Returns all source storages with pairs of a relationship: one for each entity that it was pulled up from, and
  /// that of the inverse where the two were not each other's inverse before.
  private func origins(
    of relationship: RelationshipDescription, in place: RelationMove.Place
  ) -> [(place: RelationMove.Place, isReversed: Bool)] {
    var origins: [(place: RelationMove.Place, isReversed: Bool)] = []
    // A relationship and its inverse have the same pairs.
    var seen: Set<ObjectIdentifier> = []
    func add(_ old: RelationshipDescription, isReversed: Bool) {
      guard seen.insert(ObjectIdentifier(old)).inserted else { return }
      if let inverse = old.maintainedInverse { seen.insert(ObjectIdentifier(inverse)) }
      if let origin = origin(of: old, isReversed: isReversed) { origins.append(origin) }
    }
    let own = matches.sources(of: relationship)
    for old in own { add(old, isReversed: false) }
    guard let inverse = relationship.maintainedInverse else { return origins }
    if inverse === relationship {
      // The new inverse must contain the pairs reversed. Link tables get both directions in one move.
      guard case .slot = place else { return origins }
      for case .slot(let old) in origins.map(\.place) where old.maintainedInverse !== old {
        origins.append((.slot(old), true))
      }
      return origins
    }
    let hasOwn = !origins.isEmpty
    let others = matches.sources(of: inverse)
    for old in others where !hasOwn || others.count > 1 || hasOwnPairs(old) {
      add(old, isReversed: true)
    }
    return origins
  }

  /// Whether a relationship has pairs of its own. One that only reads the pairs of its inverse, which still exists,
  /// follows its new inverse.
  private func hasOwnPairs(_ old: RelationshipDescription) -> Bool {
    guard let inverse = old.maintainedInverse, inverse !== old else { return true }
    if case .toOne = old.storage, !inverse.isToMany { return true }
    return !matches.isContinued(inverse)
  }

  /// Returns the storage of an old relationship's pairs, and whether the pairs of the new relationship are reversed.
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

  /// Whether moves to one storage are needed. Slots that stay and have no positions are already complete.
  private func areNeeded(_ moves: [RelationMove]) -> Bool {
    moves.contains { move in
      if isNeeded(move) { return true }
      guard case .slot = move.to else { return true }
      return move.to.ordersFirsts
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
