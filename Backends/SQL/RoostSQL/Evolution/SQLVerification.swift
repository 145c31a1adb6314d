// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The comparison of the records before and after an evolution, in its transaction: the initialiser counts the records
/// before.
struct SQLVerification {
  private let evolution: SQLEvolution
  private let measures: [Measure]
  private let counts: EvolutionCounts
  private let kept: [(change: EntityChange, slots: KeptSlots)]
  private var sums: [Int: RecordSum] = [:]

  /// A quantity that must be the same before and after.
  private struct Measure {
    let what: String
    let entity: String?
    let before: SQLEvolutionTask.Extent
    let after: SQLEvolutionTask.Extent
  }

  /// Counts the records before the evolution.
  ///
  /// - Returns: nil when there is nothing to compare, as when no task writes records.
  init?(
    _ evolution: SQLEvolution, _ verification: EvolutionPolicy.Verification,
    _ session: some SQLEvolutionSession
  ) throws {
    guard verification != .off,
      evolution.presentTasks.contains(where: { $0.kind.writesRecords })
    else { return nil }
    self.evolution = evolution
    measures =
      evolution.change.entities.flatMap { Self.measures(of: $0, evolution) }
      + evolution.change.keptLinkTables.compactMap { Self.measure(of: $0, evolution) }
    counts = try EvolutionCounts(measures.map(\.before), in: evolution.source, session)
    kept =
      verification == .checksums
      ? evolution.change.entities.map { ($0, KeptSlots($0)) } : []
    for (change, slots) in kept {
      sums[slots.code] = try sum(evolution.source.entity(change.source), slots.source, session)
    }
  }

  /// Compares the counts with those of the present records.
  ///
  /// - Throws: `migration` when a count has changed.
  func compare(_ session: some SQLEvolutionSession) throws {
    let found = try EvolutionCounts(measures.map(\.after), in: evolution.destination, session)
    for measure in measures {
      let (before, after) = (counts.rows(measure.before), found.rows(measure.after))
      guard before == after else {
        throw PersistenceError.unverified(
          measure.what, was: "\(before)", is: "\(after)", entity: measure.entity)
      }
    }
    for (change, slots) in kept {
      let after = try sum(
        evolution.destination.entity(change.destination), slots.destination, session)
      guard after == sums[slots.code] else {
        throw PersistenceError.unverified(
          "values of \(slots.name) that were to be kept", was: "with one checksum",
          is: "with another", entity: slots.name)
      }
    }
  }

  /// The number of records that are read at a time.
  private static let portion = 1_000

  private func sum(
    _ entity: SQLEntity?, _ slots: [RowSlot], _ session: some SQLEvolutionSession
  ) throws -> RecordSum {
    var sum = RecordSum()
    guard let entity else { return sum }
    let dialect = evolution.dialect
    let query =
      "SELECT \(evolution.key) FROM \(entity.table.reference) WHERE "
      + SQLEntityFilter.condition([entity.code], alias: nil, dialect: dialect)
      + " AND \(evolution.key) > \(dialect.parameter(1)) ORDER BY \(evolution.key)"
      + " LIMIT \(Self.portion)"
    var last: Int64 = 0
    while true {
      let keys = try session.keys(query, [.integer(last)])
      guard let end = keys.last else { return sum }
      last = end
      for row in try session.rows(forKeys: keys) { sum.add(row, slots) }
    }
  }

  // MARK: - Measures

  private static func measures(of change: EntityChange, _ evolution: SQLEvolution) -> [Measure] {
    guard let old = evolution.source.entity(change.source),
      let new = evolution.destination.entity(change.destination)
    else { return [] }
    let name = change.destination.name ?? ""
    var measures = [
      Measure(
        what: "the records of \(name)", entity: name,
        before: .records(table: old.table.reference, codes: [change.code]),
        after: .records(table: new.table.reference, codes: [change.code]))
    ]
    for slot in change.slots {
      guard case .kept(let from) = slot.origin,
        case .reference(let before) = change.source.layout.contents[from.index],
        case .reference(let after) = change.destination.layout.contents[slot.slot.index],
        evolution.destinationCodes(after.destinationEntity)
          .isSuperset(of: evolution.sourceCodes(before.destinationEntity)),
        let oldColumn = old.column(from), let newColumn = new.column(slot.slot),
        // Other moves bring destinations to the slot, too.
        !evolution.change.moves.contains(where: { $0.adds(to: after) })
      else { continue }
      measures.append(
        Measure(
          what: "the records that “\(slot.name)” of \(name) leads away from", entity: name,
          before: .values(
            table: old.table.reference, codes: [change.code], column: oldColumn.name),
          after: .values(
            table: new.table.reference, codes: [change.code], column: newColumn.name)))
    }
    return measures
  }

  private static func measure(
    of tables: (source: LinkTable, destination: LinkTable), _ evolution: SQLEvolution
  ) -> Measure? {
    let (old, new) = (tables.source.relationship, tables.destination.relationship)
    guard let before = evolution.source.linkTable(tables.source),
      let after = evolution.destination.linkTable(tables.destination),
      evolution.destinationCodes(new.entity).isSuperset(of: evolution.sourceCodes(old.entity)),
      evolution.destinationCodes(new.destinationEntity)
        .isSuperset(of: evolution.sourceCodes(old.destinationEntity))
    else { return nil }
    return Measure(
      what: "the links of “\(new.name)” of \(new.entity?.name ?? "")", entity: new.entity?.name,
      before: .links(table: before.reference), after: .links(table: after.reference))
  }
}

extension RelationMove {
  /// Whether the move adds destinations to the slot of a relationship that keeps its present ones.
  fileprivate func adds(to relationship: RelationshipDescription) -> Bool {
    guard isShared, !staysInSlot, case .slot(let filled) = to else { return false }
    return filled === relationship
  }
}
