// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostInMemory
import RoostModel
import RoostQuery
import RoostStore
import Synchronization

/// The defects of a ``BrokenStore``.
enum StoreDefect: String, CaseIterable, Sendable {
  case forgetsLinks, forgetsUnlinks, ignoresConflicts, keepsDeletedRecords, forgetsUpdates
  case repeatsKeys, reversesOrders, losesARow, losesADestination, cutsLongStrings, confusesSpellings
  case keepsVersions, writesHalf, ignoresTheCondition, ignoresTheOffset, forgetsMetadata
  case mistakesEmptyForNil, ignoresUniqueness
  case forgetsDefaults, losesRenamedValues, givesCodesTwice, overlooksOtherVersions
  case writesHistoryLater, numbersHistory, keepsHistoryOfRefused, forgetsBookmarks, marksNothing
  case losesParts, commitsAborted, showsParts, forgetsDecisions, acceptsTakenKeys, letsWritersPast
  case decidesForAnyone, asksWithoutEnding

  /// Whether the defect has an effect on a store with a history.
  var isOfHistories: Bool {
    switch self {
    case .writesHistoryLater, .numbersHistory, .keepsHistoryOfRefused, .forgetsBookmarks,
      .marksNothing:
      true
    default: false
    }
  }

  /// Whether the defect has an effect on migrations.
  var isOfMigrations: Bool {
    switch self {
    case .forgetsDefaults, .losesRenamedValues, .givesCodesTwice, .overlooksOtherVersions: true
    default: false
    }
  }
}

/// A reference store with one defect: the kit must find it.
final class BrokenStore: ForwardingStore, @unchecked Sendable {
  // Sendable: the defect is constant.

  private let defect: StoreDefect?
  private let brokenHistory = Mutex<BrokenHistory?>(nil)
  private let brokenPreparation = Mutex<BrokenPreparation?>(nil)

  init(_ base: any PersistentStore, _ defect: StoreDefect?) {
    self.defect = defect
    super.init(base)
  }

  override var history: (any StoreHistory)? {
    guard let defect, defect.isOfHistories else { return base.history }
    guard let history = base.history else { return nil }
    return brokenHistory.withLock { known in
      let broken = known ?? BrokenHistory(base: history, defect: defect)
      known = broken
      return broken
    }
  }

  override var preparation: (any StorePreparation)? {
    guard let defect, defect.isOfSaves else { return base.preparation }
    return preparationOfBase(defect)
  }

  private func preparationOfBase(_ defect: StoreDefect) -> (any StorePreparation)? {
    guard let preparation = base.preparation else { return nil }
    return brokenPreparation.withLock { known in
      let broken = known ?? BrokenPreparation(base: preparation, defect: defect)
      known = broken
      return broken
    }
  }

  override var changeMarks: (any StoreChangeMarks)? {
    defect == .marksNothing ? ConstantMarks() : base.changeMarks
  }

  override var evolution: (any StoreEvolution)? {
    guard let defect else { return super.evolution }
    return super.evolution.map { BrokenEvolution(base: $0, defect: defect) }
  }

  /// Runs a request; a store that does not check for a concurrent migration returns nothing instead of throwing.
  private func overlooking<Result>(_ nothing: Result, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let error as PersistenceError
      where defect == .overlooksOtherVersions
      && error.code == .persistentStoreIncompatibleVersionHash
    {
      return nothing
    }
  }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    var metadata = metadata
    if defect == .forgetsMetadata { metadata.entityVersionHashes = [:] }
    try super.prepare(schema, metadata: metadata)
    if defect == .losesParts { try dropParts() }
  }

  /// Rolls back all prepared parts, although they are undecided.
  private func dropParts() throws {
    for part in try base.preparation?.pending() ?? [] {
      _ = try base.preparation?.finish(part.ticket.id, committing: false)
    }
  }

  override func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    var result = try base.fetch(request, in: context)
    if defect == .ignoresTheCondition { result.remainder?.predicate = nil }
    if defect == .ignoresTheOffset, request.limit == nil { result.remainder?.window = false }
    return result
  }

  override func rows(forKeys keys: [Int64]) throws -> [Row] {
    let rows = try overlooking([]) { try base.rows(forKeys: keys) }
    return defect == .losesARow && rows.count > 1 ? Array(rows.dropLast()) : rows
  }

  override func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    var found = try base.destinations(of: relationship, forSources: sources)
    if defect == .reversesOrders, sources.count == 1 { found.keys.reverse() }
    if defect == .losesADestination, found.keys.count > 1, found.positions.isEmpty {
      found.keys.removeLast()
      found.offsets = found.offsets.map { min($0, found.keys.count) }
    }
    return found
  }

  override func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    let range = try base.reserveSequences(count)
    guard defect == .repeatsKeys else { return range }
    return max(1, range.lowerBound - 64)...range.upperBound
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let damaged = try damaged(changes)
    // Simulates a part whose locks are released before it is finished.
    if defect == .letsWritersPast { try dropParts() }
    let outcome = try overlooking(.committed(CommitReceipt())) { try base.commit(damaged) }
    guard case .conflicted = outcome else { return outcome }
    switch defect {
    case .writesHalf:
      _ = try base.commit(StoreChangeSet(inserted: changes.inserted))
      return outcome
    case .ignoresUniqueness: return .committed(CommitReceipt())
    case .keepsHistoryOfRefused:
      // Simulates a history that is written before the save is checked for conflicts.
      if let row = try base.rows(forKeys: changes.updated.map(\.row.key)).first {
        var listed = StoreChangeSet()
        listed.origin = changes.origin
        listed.notes = changes.notes
        listed.locked = [RowVersion(key: row.key, version: row.version)]
        _ = try base.commit(listed)
      }
      return outcome
    default: return outcome
    }
  }

  private func damaged(_ changes: StoreChangeSet) throws -> StoreChangeSet {
    var changes = changes
    switch defect {
    case .forgetsLinks: changes.links.removeAll { $0.kind != .unlink }
    case .forgetsUnlinks: changes.links.removeAll { $0.kind == .unlink }
    case .keepsDeletedRecords: changes.deleted = Array(changes.deleted.dropLast())
    case .forgetsUpdates: changes.updated = Array(changes.updated.dropLast())
    case .ignoresConflicts: try takeVersions(&changes)
    case .keepsVersions:
      changes.updated = changes.updated.map { update in
        var update = update
        update.row = update.row.copy(version: update.baseVersion)
        return update
      }
    case .cutsLongStrings: edit(&changes) { String($0.prefix(500)) }
    case .confusesSpellings: edit(&changes) { $0.precomposedStringWithCanonicalMapping }
    case .mistakesEmptyForNil: edit(&changes) { $0.isEmpty ? nil : $0 }
    default: break
    }
    return changes
  }

  /// Sets the version of every change to that in the store, so that no conflict is detected.
  private func takeVersions(_ changes: inout StoreChangeSet) throws {
    let keys = changes.updated.map(\.row.key) + changes.deleted.map(\.key)
    let versions = Dictionary(
      try base.rows(forKeys: keys).map { ($0.key, $0.version) },
      uniquingKeysWith: { first, _ in first })
    for index in changes.updated.indices {
      let key = changes.updated[index].row.key
      changes.updated[index].baseVersion = versions[key] ?? 0
    }
    for index in changes.deleted.indices {
      changes.deleted[index].version = versions[changes.deleted[index].key] ?? 0
    }
  }

  private func edit(_ changes: inout StoreChangeSet, _ change: (String) -> String?) {
    func edited(_ row: Row) -> Row {
      let copy = row.copy()
      for slot in row.layout.storedSlots where slot.kind == .string && !row.isNull(slot) {
        if let text = change(row.string(slot)) {
          copy.setString(text, at: slot)
        } else {
          copy.setNull(slot)
        }
      }
      return copy
    }
    changes.inserted = changes.inserted.map(edited)
    for index in changes.updated.indices {
      changes.updated[index].row = edited(changes.updated[index].row)
    }
  }
}

extension StoreHarness {
  /// Returns reference stores with a defect.
  static func broken(_ defect: StoreDefect) -> StoreHarness {
    StoreHarness("Reference that \(defect.rawValue)") {
      .reference(named: UUID().uuidString).forwarded { BrokenStore($0, defect) }
    }
  }

  /// Returns SQLite stores for saves over several stores, with a defect or without one.
  static func saving(_ defect: StoreDefect?) -> StoreHarness {
    StoreHarness("SQLite that \(defect?.rawValue ?? "is whole")") {
      StoresUnderTest.prepared
      return try StoresUnderTest.sqlite.makeEmptyStore().forwarded { BrokenStore($0, defect) }
    }
  }

  /// Returns in-memory stores for migrations, with a defect or without one: the reference store cannot migrate.
  static func migrating(_ defect: StoreDefect?) -> StoreHarness {
    StoreHarness("Memory that \(defect?.rawValue ?? "is whole")") {
      .inMemory(named: UUID().uuidString).forwarded { BrokenStore($0, defect) }
    }
  }
}
