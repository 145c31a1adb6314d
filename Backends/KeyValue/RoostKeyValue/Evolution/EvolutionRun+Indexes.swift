// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Building indexes from the migrated records.
extension EvolutionRun {
  /// Fills the table of an index.
  func build(
    _ index: IndexDefinition, to output: inout EvolutionOutput, _ reporter: MigrationReporter
  ) throws {
    try checkClaims(of: index)
    var rest = try entries(of: index, reporter) { entries in
      guard entries.count >= EvolutionOutput.entryPortion else { return }
      try put(&entries, of: index, to: &output)
    }
    try put(&rest, of: index, to: &output)
  }

  private func put(
    _ entries: inout EntryBatch, of index: IndexDefinition, to output: inout EvolutionOutput
  ) throws {
    guard !entries.isEmpty || entries.refusedSize != nil else { return }
    entries.order()
    output.batch.addEntries(entries, of: index.table)
    entries = EntryBatch()
    try output.handOver()
  }

  /// Checks uniqueness constraints, as far as no value has to be computed for it.
  func checkUnique(_ index: IndexDefinition) throws {
    guard case .unique = index.purpose else { return }
    let isDerived = index.entityCodes.contains { code in
      derivedSlots[code].map { slots in
        index.components.contains { slots.contains($0.slot.index) }
      } ?? false
    }
    guard !isDerived else { return }
    try checkClaims(of: index)
  }

  /// Throws when records have values that must be unique.
  ///
  /// Cost: reads the records once for every 2 million, and keeps 16 bytes for each of these.
  private func checkClaims(of index: IndexDefinition) throws {
    guard case .unique = index.purpose else { return }
    let suspects = try suspects(of: index)
    guard !suspects.isEmpty else { return }
    try check(entries(of: index, MigrationReporter(), only: suspects), of: index)
  }

  /// Returns the records whose values have the hash of another record's values.
  private func suspects(of index: IndexDefinition) throws -> Set<Int64> {
    let most = max(batches.hashes, 1)
    let parts = UInt64(max(1, (count(of: index.entityCodes) + most - 1) / most))
    var suspects: Set<Int64> = []
    for part in 0..<parts {
      var claims: [Claim] = []
      var bytes: [UInt8] = []
      try scanRows(of: index) { row in
        guard index.claim(of: row, into: &bytes) else { return }
        let hash = KeyEncoding.hash(bytes[...])
        if hash % parts == part { claims.append(Claim(hash: hash, key: row.key)) }
      }
      claims.sortByDigits(of: \.hash)
      for (claim, next) in zip(claims, claims.dropFirst()) where claim.hash == next.hash {
        suspects.insert(claim.key)
        suspects.insert(next.key)
      }
    }
    return suspects
  }

  private struct Claim: BitwiseCopyable {
    let hash: UInt64
    let key: Int64
  }

  private func entries(
    of index: IndexDefinition, _ reporter: MigrationReporter, only keys: Set<Int64>? = nil,
    _ take: (inout EntryBatch) throws -> Void = { _ in }
  ) throws -> EntryBatch {
    var entries = EntryBatch()
    var done: Int64 = 0
    try scanRows(of: index) { row in
      done += 1
      if done.isMultiple(of: 1000) {
        try take(&entries)
        try reporter.advance(by: 1000)
      }
      if keys?.contains(row.key) ?? true { index.put(row, to: &entries) }
    }
    try reporter.advance(by: done % 1000)
    entries.order()
    return entries
  }

  /// Calls `body` with the migrated rows of an index, in its slots.
  private func scanRows(of index: IndexDefinition, _ body: (Row) throws -> Void) throws {
    let slots = Set((index.components.map(\.slot) + index.conditions.map(\.slot)).map(\.index))
    for code in index.entityCodes where counts[code] ?? 0 > 0 {
      guard let entity = conversion(ofCode: code, only: slots) else { continue }
      let isComputed = derivedSlots[code].map { !$0.isDisjoint(with: slots) } ?? false
      try scan(code, entity) { row in try body(isComputed ? computed[row.key] ?? row : row) }
    }
  }

  /// Throws when entries claim the same values.
  private func check(_ entries: EntryBatch, of index: IndexDefinition) throws {
    guard case .unique(let constraint) = index.purpose else { return }
    var finder = DuplicateFinder()
    entries.forEach { finder.add($0) }
    try finder.finish().check(
      .migrationConstraintViolation, in: change.source, index.entity, key: constraint.first
    ) { count in
      """
      \(count) records of \(index.entity.name ?? "") are not unique by \(constraint.joined(separator: ", ")); \
      change or delete them first.
      """
    }
  }
}

/// Finds the records that claim the same values in entries that come in order.
private struct DuplicateFinder {
  private var components: [UInt8] = []
  /// The records that claim these, with the rest of components that were cut.
  private var claims: [(key: Int64, rest: [UInt8])] = []
  private let found = RefusedRecords()

  mutating func add(_ change: EntryBatch.Change) {
    guard case .claim = change.kind else { return }
    let key = change.key.dropLast(KeyEncoding.recordKeyCount)
    if !components.elementsEqual(key) {
      judge()
      components.replaceSubrange(0..., with: key)
    }
    claims.append((KeyEncoding.recordKey(atEndOf: change.key), Array(change.value)))
  }

  /// Returns the records with duplicate values.
  mutating func finish() -> RefusedRecords {
    judge()
    return found
  }

  private mutating func judge() {
    defer { claims.removeAll(keepingCapacity: true) }
    guard claims.count > 1 else { return }
    let byRest = Dictionary(grouping: claims, by: \.rest)
    for claim in claims where byRest[claim.rest]?.count ?? 0 > 1 { found.insert(claim.key) }
  }
}
