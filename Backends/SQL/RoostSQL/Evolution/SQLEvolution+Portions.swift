// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// A part of an action: the last key that it has reached, nil when nothing comes after it, and the number of rows that
/// it wrote.
struct EvolutionPortion {
  let end: Int64?
  let rows: Int
}

// Actions that go through the records of a table in the order of their keys.
extension SQLEvolution {
  /// The maximum number of records that are in memory.
  private static let recordLimit = 1_000

  /// Runs the next portion of an action; an action that has no portions is run as a whole.
  ///
  /// - Parameters:
  ///   - last: The key that the portion before has reached.
  ///   - count: The number of records of the portion.
  /// - Returns: nil when there is nothing after `last`.
  func run(
    _ action: SQLEvolutionTask.Action, after last: Int64, count: Int,
    _ session: some SQLEvolutionSession
  ) throws -> EvolutionPortion? {
    switch action {
    case .write(let statement): return try write(statement, after: last, count: count, session)
    case .convertToURIs(let column):
      return try convert(column, after: last, count: min(count, Self.recordLimit), session)
    case .derive(let entity, let slots):
      let count = min(count, Self.recordLimit)
      return try derive(entity, slots, after: last, count: count, session)
    case .define, .remove, .writeAll, .refuseRecords, .refuseClaims, .refuseLinks,
      .refuseDuplicates:
      return EvolutionPortion(end: nil, rows: try runWhole(action, session))
    }
  }

  private func write(
    _ statement: SQLEvolutionTask.RangedStatement, after last: Int64, count: Int,
    _ session: some SQLEvolutionSession
  ) throws -> EvolutionPortion? {
    let bound = dialect.lastKey(
      of: count, in: statement.table, column: statement.column)
    guard let end = try session.keys(bound, [.integer(last)]).first else { return nil }
    let range: [SQLValue] = [.integer(last), .integer(end)]
    return EvolutionPortion(
      end: end, rows: try session.write(statement.text, range + statement.values))
  }

  // MARK: - Values computed in this process

  private func convert(
    _ column: SQLEvolutionTask.TextColumn, after last: Int64, count: Int,
    _ session: some SQLEvolutionSession
  ) throws -> EvolutionPortion? {
    var refused: [Int64] = []
    let portion = try convert(column, after: last, count: count, &refused, session)
    guard !refused.isEmpty else { return portion }
    // The error counts all texts that are none; what is written is rolled back.
    var next = portion?.end
    while let last = next {
      next = try convert(column, after: last, count: count, &refused, session)?.end
    }
    try refuse(
      "\(column.entity).\(column.key) is to be a URI, and records have texts that are none",
      refused, entity: column.entity, key: column.key)
    return portion
  }

  private func convert(
    _ column: SQLEvolutionTask.TextColumn, after last: Int64, count: Int,
    _ refused: inout [Int64], _ session: some SQLEvolutionSession
  ) throws -> EvolutionPortion? {
    let name = dialect.quoted(column.column)
    let condition = SQLEntityFilter.condition(column.codes, alias: nil, dialect: dialect)
    let query =
      "SELECT \(key), \(name) FROM \(column.table) WHERE \(key) > \(dialect.parameter(1))"
      + " AND \(name) IS NOT NULL AND \(condition) ORDER BY \(key) LIMIT \(count)"
    var end: Int64?
    let rows = try session.read(query, [.integer(last)])
    for row in rows {
      guard row.count == 2, case .integer(let number) = row[0], case .text(let text) = row[1]
      else { continue }
      end = number
      if ValueConversion.uri(of: text) == nil { refused.append(number) }
    }
    return end.map { EvolutionPortion(end: $0, rows: rows.count) }
  }

  private func derive(
    _ entity: SQLEntity, _ slots: [RowSlot], after last: Int64, count: Int,
    _ session: some SQLEvolutionSession
  ) throws -> EvolutionPortion? {
    let query =
      keysQuery(entity.table.reference, [entity.code])
      + " AND \(key) > \(dialect.parameter(1)) ORDER BY \(key) LIMIT \(count)"
    let keys = try session.keys(query, [.integer(last)])
    guard let end = keys.last else { return nil }
    let rows = try session.rows(forKeys: keys)
    try change.destination.derivations()
      .derive(Set(slots.map(\.index)), of: rows, from: session, time: Date())
    try session.write(rows, slots, of: entity)
    return EvolutionPortion(end: end, rows: keys.count)
  }
}

extension SQLDialect {
  /// Returns a query for the last of the next keys of a table, after the key that is its parameter.
  package func lastKey(of count: Int, in table: String, column: String) -> String {
    "SELECT \(functionNames.maximum)(k) FROM (SELECT \(column) AS k FROM \(table)"
      + " WHERE \(column) > \(parameter(1)) ORDER BY \(column) LIMIT \(count)) AS keys"
  }
}
