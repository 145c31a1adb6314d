// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// How records become what they are to be.
extension EvolutionRun {
  /// Whether some record of a code may have to be written anew.
  func mayRewrite(_ code: Int) -> Bool {
    guard let entity = entities[code], counts[code] ?? 0 > 0 else { return false }
    return entity.changesSome || derivedSlots[code] != nil || !keepsFormats && !entity.isByName
      || change.moves.contains { move in
        guard case .slot = move.to else { return false }
        return move.to.codes(in: change.destination).firsts.contains(code)
      }
  }

  /// Writes the records of a code that are others now; versions stay.
  func rewrite(
    _ code: Int, to output: inout EvolutionOutput, _ reporter: MigrationReporter
  ) throws {
    guard let entity = entities[code] else { return }
    let derived = derivedSlots[code]
    // An engine without formats reads all records of an entity by one layout: all of them are written, or none.
    let writesAll = !keepsFormats
    let looksAtAll = derived != nil || writesAll
    let need = RowNeed(judged: .some(entity.decidingSlots))
    var changes: [RecordChange] = []
    var pending: [Row] = []
    try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count {
        let isChanged =
          looksAtAll || moved[chunk.key(index)] != nil
          || chunk.withRow(index, entity.changes) ?? false
        guard isChanged, let old = try chunk[index] else { continue }
        let isOther =
          writesAll || moved[old.key] != nil || entity.changes(old)
        let row = entity.row(from: old, refused: refused)
        putMoved(into: row)
        if derived == nil || isOther { changes.append(RecordChange(key: row.key, row: row)) }
        if derived != nil { pending.append(row) }
      }
      if pending.count >= EvolutionOutput.portion { try derive(code, derived, &pending, &changes) }
      if pending.isEmpty { try output.change(&changes, in: entity.change.destination.layout) }
      try reporter.advance(by: Int64(chunk.count))
      return true
    }
    try derive(code, derived, &pending, &changes)
    try checkConversions(of: entity)
    try output.change(&changes, isLast: true)
  }

  /// Refuses a text that is no URI.
  func checkConversions(of entity: EntityConversion) throws {
    let converted = entity.change.slots.first { slot in
      if case .converted = slot.origin { true } else { false }
    }
    try refused.check(
      .migration, in: change.source, entity.change.source, key: converted?.name
    ) { count in
      "\(count) records have a value that cannot be converted, as a text that is no URI; correct them first."
    }
  }

  /// Computes the derived values of rows, and adds those to the changes that are others for it.
  private func derive(
    _ code: Int, _ slots: Set<Int>?, _ rows: inout [Row], _ changes: inout [RecordChange]
  ) throws {
    defer { rows = [] }
    guard let slots, let layout = rows.first?.layout else { return }
    let before = rows.map { $0.copy() }
    try change.destination.derivations().derive(slots, of: rows, from: self, time: time)
    var known = Set(changes.suffix(rows.count).map(\.key))
    let isIndexed = catalogChange.builtIndexes.contains { index in
      guard !isLeft(index) else { return false }
      return index.covers(code: code) && index.components.contains { slots.contains($0.slot.index) }
        || index.conditions.contains { slots.contains($0.slot.index) }
    }
    for (row, old) in zip(rows, before) {
      if isIndexed { computed[row.key] = row }
      let isOther = slots.contains { !row.equals(old, at: layout.slots[$0]) }
      if isOther, known.insert(row.key).inserted {
        changes.append(RecordChange(key: row.key, row: row))
      }
    }
  }

  /// Sets what relationships that move put into a row.
  func putMoved(into row: Row) {
    for value in moved[row.key] ?? [] {
      if let number = value.value {
        row.setInteger(number, at: value.slot)
      } else {
        row.setNull(value.slot)
      }
    }
  }

  /// Removes the records of an entity that goes.
  func remove(
    _ entity: EntityDescription, to output: inout EvolutionOutput, _ reporter: MigrationReporter
  ) throws {
    guard let code = change.source.code(of: entity) else { return }
    var changes: [RecordChange] = []
    try snapshot.scanRecords(ofEntityCode: code, need: RowNeed(kept: .none)) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count {
        changes.append(RecordChange(key: chunk.key(index), row: nil))
      }
      try output.change(&changes)
      try reporter.advance(by: Int64(chunk.count))
      return true
    }
    try output.change(&changes, isLast: true)
  }
}

// MARK: - What derived attributes are made of

/// The records as they are to be, without what is derived.
extension EvolutionRun: DerivationSource {
  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try snapshot.rows(forKeys: keys).compactMap { row in
      guard let entity = entities[RecordKey.entityCode(of: row.key)] else { return nil }
      let result = entity.row(from: row, refused: refused)
      putMoved(into: result)
      return result
    }
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let known = try members(of: relationship)
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      result.keys += known[source] ?? []
      result.offsets.append(result.keys.count)
    }
    return result
  }

  private func members(of relationship: RelationshipDescription) throws -> [Int64: [Int64]] {
    if let known = members[ObjectIdentifier(relationship)] { return known }
    var result: [Int64: [Int64]] = [:]
    switch relationship.storage {
    case .inverseOfToOne(let slot, _):
      for code in change.destination.codes(below: relationship.destinationEntity).sorted() {
        guard let entity = conversion(ofCode: code, only: [slot.index]) else { continue }
        try scan(code, entity) { row in
          if let source = row.reference(slot) { result[source, default: []].append(row.key) }
        }
      }
    case .links(let table, let isForward):
      for pair in try futurePairs(in: table) {
        let (source, member) = isForward ? (pair.first, pair.second) : (pair.second, pair.first)
        result[source, default: []].append(member)
      }
    case .toOne, .transient: break
    }
    members[ObjectIdentifier(relationship)] = result
    return result
  }

  private func futurePairs(in table: LinkTable) throws -> [RelationPair] {
    for move in change.moves {
      if case .links(table) = move.to { return try pairs(of: move) }
    }
    guard let kept = change.keptLinkTables.first(where: { $0.destination === table }) else {
      return []
    }
    return remaining(try pairs(in: .links(kept.source)), in: .links(table))
  }

  /// Calls `body` with the rows of a code as they are to be, in some slots.
  func scan(_ code: Int, _ entity: EntityConversion, _ body: (Row) throws -> Void) throws {
    let need = RowNeed(judged: entity.sourceSlots, kept: .none)
    try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count {
        try chunk.withRow(index) { old in
          let row = entity.row(from: old, refused: refused)
          putMoved(into: row)
          try body(row)
        }
      }
      return true
    }
  }
}
