// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// How pairs of records come to another place.
extension EvolutionRun {
  /// Brings the pairs of a move to their place.
  func write(
    _ move: RelationMove, _ catalog: CatalogChange, to batch: inout WriteBatch,
    _ reporter: MigrationReporter
  ) throws {
    // The first of several moves to one place brings the pairs of all.
    guard renamedTables(of: move) == nil, move.shareIndex ?? 0 == 0 else { return }
    guard case .links(let links) = move.to else {
      return try fillSlots(move, reporter)
    }
    guard let tables = catalog.tables(of: links) else { return }
    let isOrdered = links.sourceIsOrdered || links.destinationIsOrdered
    let pairs = try pairs(of: move, reporter)
    for (table, isForward) in [(tables.forward, true), (tables.backward, false)] {
      batch.changeEntries(of: table) { entries in
        entries.reserveCapacity(pairs.count, bytesEach: isOrdered ? 32 : 16)
        for pair in pairs {
          let value =
            isOrdered
            ? LinkPositions(pair.secondPosition, pair.firstPosition).bytes : []
          entries.append(.put) { bytes in
            LinkKey.append(
              isForward ? pair.first : pair.second, isForward ? pair.second : pair.first,
              to: &bytes)
            return value[...]
          }
        }
      }
    }
  }

  /// Notes what a move puts into rows.
  ///
  /// - Throws: `migration` when several records would be the only one of another.
  func fillSlots(
    _ move: RelationMove, _ reporter: MigrationReporter = MigrationReporter()
  ) throws {
    guard case .slot(let relationship) = move.to, case .toOne(let slot) = relationship.storage,
      move.shareIndex ?? 0 == 0
    else { return }
    var pairs = try pairs(of: move, reporter)
    pairs.removeDuplicates()
    let claims = RefusedRecords()
    for index in pairs.indices {
      let isShared =
        index > 0 && pairs[index - 1].first == pairs[index].first
        || index + 1 < pairs.count && pairs[index + 1].first == pairs[index].first
      if isShared { claims.insert(pairs[index].second) }
    }
    try claims.check(
      .migration, in: change.source, relationship.destinationEntity, key: relationship.name
    ) { count in
      """
      “\(relationship.name)” of \(relationship.entity?.name ?? "") is to lead to one record, and \(count) records \
      share such a place; leave one of them at each.
      """
    }
    let position = move.to.positionSlot
    for pair in pairs {
      var values = [MovedValue(slot: slot, value: pair.second)]
      if let position { values.append(MovedValue(slot: position, value: pair.firstPosition)) }
      moved[pair.first, default: []] += values
      movedCodes.insert(RecordKey.entityCode(of: pair.first))
    }
  }

  /// The pairs of a move, and of those that share its place, as they are to be, without those of records that go.
  func pairs(
    of move: RelationMove, _ reporter: MigrationReporter = MigrationReporter()
  ) throws -> [RelationPair] {
    let result = try change.moves(sharing: move).flatMap {
      $0.result(of: try self.pairs(in: $0.from, reporter))
    }
    var kept = remaining(result, in: move.to)
    if move.isShared { kept.merge(in: move.to) }
    return kept
  }

  /// The pairs without those of records that go.
  func remaining(_ pairs: [RelationPair], in place: RelationMove.Place) -> [RelationPair] {
    let codes = place.codes(in: change.destination)
    let firsts = codes.firsts.subtracting(removedCodes)
    let seconds = codes.seconds.subtracting(removedCodes)
    return pairs.filter { pair in
      pair.first.isKept(among: firsts) && pair.second.isKept(among: seconds)
    }
  }

  /// The pairs that are in a place now.
  func pairs(
    in place: RelationMove.Place, _ reporter: MigrationReporter = MigrationReporter()
  ) throws -> [RelationPair] {
    switch place {
    case .slot(let relationship): try pairs(inSlotOf: relationship, place, reporter)
    case .links(let table): try pairs(in: table, reporter)
    }
  }

  private func pairs(
    inSlotOf relationship: RelationshipDescription, _ place: RelationMove.Place,
    _ reporter: MigrationReporter
  ) throws -> [RelationPair] {
    guard case .toOne(let slot) = relationship.storage else { return [] }
    let position = place.positionSlot
    let need = RowNeed(
      judged: .some(Set([slot, position].compactMap { $0?.index })), kept: .none)
    var pairs: [RelationPair] = []
    for code in place.codes(in: change.source).firsts.sorted() {
      try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
        try cancellation.check()
        for index in 0..<chunk.count {
          chunk.withRow(index) { row in
            guard let second = row.reference(slot) else { return }
            let place = position.flatMap { row.isNull($0) ? nil : row.integer($0) }
            pairs.append(RelationPair(first: row.key, second: second, firstPosition: place))
          }
        }
        try reporter.advance(by: Int64(chunk.count))
        return true
      }
    }
    return pairs
  }

  private func pairs(
    in table: LinkTable, _ reporter: MigrationReporter
  ) throws -> [RelationPair] {
    guard let entries = catalog.tables[table.forwardSignature] else { return [] }
    let isOrdered = table.sourceIsOrdered || table.destinationIsOrdered
    var pairs: [RelationPair] = []
    try snapshot.scanEntries(of: entries, in: .all, descending: false) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count {
        let entry = chunk[index]
        let (first, second) = try LinkKey.keys(in: entry.key)
        var pair = RelationPair(first: first, second: second)
        if isOrdered {
          let positions = try LinkPositions(entry.value)
          pair.secondPosition = positions.position
          pair.firstPosition = positions.inversePosition
        }
        pairs.append(pair)
      }
      try reporter.advance(by: Int64(chunk.count))
      return true
    }
    return pairs
  }

  /// Removes the links of records that go from a table that stays.
  func removeLostLinks(
    _ table: (source: LinkTable, destination: LinkTable), _ catalog: CatalogChange,
    to batch: inout WriteBatch
  ) throws {
    let codes = RelationMove.Place.links(table.destination).codes(in: change.destination)
    guard
      losesRecords(from: .links(table.source), firsts: codes.firsts, seconds: codes.seconds),
      let tables = catalog.tables(of: table.destination)
    else { return }
    let firsts = codes.firsts.subtracting(removedCodes)
    let seconds = codes.seconds.subtracting(removedCodes)
    for pair in try pairs(in: .links(table.source))
    where !pair.first.isKept(among: firsts) || !pair.second.isKept(among: seconds) {
      batch.changeEntries(of: tables.forward) { entries in
        entries.append(.remove) {
          LinkKey.append(pair.first, pair.second, to: &$0); return []
        }
      }
      batch.changeEntries(of: tables.backward) { entries in
        entries.append(.remove) {
          LinkKey.append(pair.second, pair.first, to: &$0); return []
        }
      }
    }
  }
}

extension LinkPositions {
  init(_ position: Int64?, _ inversePosition: Int64?) {
    self.init()
    self.position = position
    self.inversePosition = inversePosition
  }
}

extension LinkKey {
  /// The two keys of an entry.
  ///
  /// - Throws: `corruptStore` when the bytes are no such key.
  static func keys(in bytes: UnsafeRawBufferPointer) throws -> (first: Int64, second: Int64) {
    guard bytes.count == 16 else {
      throw PersistenceError(.corruptStore, "A link of the store is damaged.")
    }
    return (
      Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)),
      Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    )
  }
}

extension Int64 {
  /// Whether a key names a record of one of the entities that stay, or one of another store, whose number says no
  /// entity.
  func isKept(among codes: Set<Int>) -> Bool {
    ForeignNumber.isForeign(self) || codes.contains(RecordKey.entityCode(of: self))
  }
}
