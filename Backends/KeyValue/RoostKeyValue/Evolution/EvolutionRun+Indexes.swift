// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Building indexes from the migrated records.
extension EvolutionRun {
  /// Fills the table of an index.
  func build(
    _ index: IndexDefinition, to output: inout EvolutionOutput, _ reporter: MigrationReporter
  ) throws {
    // Duplicate values are detected only in the sorted list of all entries.
    let mayHandOver = if case .unique = index.purpose { false } else { true }
    let rest = try entries(of: index, reporter) { entries in
      guard mayHandOver, entries.count >= EvolutionOutput.entryPortion else { return }
      try put(&entries, of: index, to: &output)
    }
    try check(rest, of: index)
    var last = rest
    try put(&last, of: index, to: &output)
  }

  private func put(
    _ entries: inout EntryBatch, of index: IndexDefinition, to output: inout EvolutionOutput
  ) throws {
    guard !entries.isEmpty else { return }
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
    try check(entries(of: index, MigrationReporter()), of: index)
  }

  private func entries(
    of index: IndexDefinition, _ reporter: MigrationReporter,
    _ take: (inout EntryBatch) throws -> Void = { _ in }
  ) throws -> EntryBatch {
    let slots = Set((index.components.map(\.slot) + index.conditions.map(\.slot)).map(\.index))
    var entries = EntryBatch()
    for code in index.entityCodes where counts[code] ?? 0 > 0 {
      guard let entity = conversion(ofCode: code, only: slots) else { continue }
      let isComputed = derivedSlots[code].map { !$0.isDisjoint(with: slots) } ?? false
      var done: Int64 = 0
      try scan(code, entity) { row in
        index.put(isComputed ? computed[row.key] ?? row : row, to: &entries)
        done += 1
        if done.isMultiple(of: 1000) {
          try take(&entries)
          try reporter.advance(by: 1000)
        }
      }
      try reporter.advance(by: done % 1000)
    }
    entries.order()
    return entries
  }

  /// Throws when records have values that must be unique.
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
