// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostStore

// The dry run of a schema migration, and its execution.
extension SQLEvolution {
  /// The number of keys that one statement writes.
  private static let batchSize = 1_000
  /// The largest number of objects that an error names.
  private static let errorLimit = 100

  /// Returns the steps with the number of affected records. Writes nothing.
  ///
  /// - Throws: `migration` and `migrationConstraintViolation`, as far as the present records show them.
  package func steps(_ session: some SQLEvolutionSession) throws -> [MigrationPlan.Step] {
    let counts = try EvolutionCounts(self, session)
    for task in tasks {
      for action in task.actions where isToldBefore(action) { try run(action, session) { _ in } }
    }
    return tasks.map {
      MigrationPlan.Step(
        $0.title, kind: $0.kind, rows: counts.rows($0), statements: $0.statements,
        isDeferrable: $0.later != nil)
    }
  }

  /// Returns whether records, links or index entries are written; a task that has no count is assumed to write some.
  ///
  /// Cost: counts the records of the affected tables.
  package func writesRecords(_ session: some SQLEvolutionSession) throws -> Bool {
    let writing = presentTasks.filter(\.writes)
    guard !writing.isEmpty else { return false }
    let counts = try EvolutionCounts(writing.map(\.extent), in: source, session)
    return writing.contains { task in
      if case .none = task.extent { !task.actions.isEmpty } else { counts.rows(task) > 0 }
    }
  }

  /// Returns whether an action only reads records, and these already have their final values.
  private func isToldBefore(_ action: SQLEvolutionTask.Action) -> Bool {
    switch action {
    case .refuseRecords, .refuseClaims: return true
    case .refuseDuplicates(let constraint, let table):
      guard let before = kept.table(ofRoot: table.root), before.name == table.name else {
        return false
      }
      let columns = Set(before.columns.map(\.name)).subtracting(changedColumns(of: table))
      return columns.isSuperset(of: constraint.index.columns)
    case .define, .remove, .write, .writeAll, .convertToURIs, .derive: return false
    }
  }

  /// Runs all tasks in the open transaction.
  ///
  /// - Parameters:
  ///   - session: Reads and writes by the schema of the destination.
  ///   - before: Reads by the schema of the source.
  ///   - verification: The comparison before and after.
  /// - Throws: `migration`, `migrationConstraintViolation`, and the errors of the reporter and the database.
  package func run<Session: SQLEvolutionSession>(
    _ session: Session, reading before: Session, verify verification: EvolutionPolicy.Verification,
    _ reporter: MigrationReporter
  ) throws {
    let counts = try EvolutionCounts(self, session)
    let check = try SQLVerification(self, verification, before)
    for task in presentTasks {
      try reporter.begin(task.title, records: Int64(counts.rows(task)))
      for action in task.actions {
        // A definition reports no progress, which would check for cancellation.
        try reporter.cancellation.check()
        try run(action, session) { try reporter.advance(by: Int64($0)) }
      }
    }
    try reporter.cancellation.check()
    try check?.compare(session)
  }

  private func run(
    _ action: SQLEvolutionTask.Action, _ session: some SQLEvolutionSession,
    _ advance: (Int) throws -> Void
  ) throws {
    switch action {
    case .define(let text): try session.define(text)
    case .remove(let text, let otherwise):
      if try !session.remove(text), let otherwise { _ = try session.write(otherwise, []) }
    case .write(let statement): try run(statement, session, advance)
    case .writeAll(let text): try advance(session.write(text, []))
    case .refuseRecords(let table, let codes, let entity):
      try refuse(
        "\(entity) is to be abstract, and the store has records of it",
        session.keys(keysQuery(table, codes) + " ORDER BY \(key)"), entity: entity)
    case .refuseClaims(let query, let entity, let name):
      try refuse(
        "\(entity).\(name) leads to one object, and several records would be its destination",
        session.keys(query), entity: entity, key: name)
    case .convertToURIs(let column): try convert(column, session, advance)
    case .refuseDuplicates(let constraint, let table):
      try refuseDuplicates(constraint, table, session)
    case .derive(let entity, let slots): try derive(entity, slots, session, advance)
    }
  }

  private func keysQuery(_ table: String, _ codes: [Int]) -> String {
    "SELECT \(key) FROM \(table)"
      + " WHERE \(SQLEntityFilter.condition(codes, alias: nil, dialect: dialect))"
  }

  private func run(
    _ statement: SQLEvolutionTask.RangedStatement, _ session: some SQLEvolutionSession,
    _ advance: (Int) throws -> Void
  ) throws {
    let column = statement.column
    let bound =
      "SELECT \(dialect.functionNames.maximum)(k) FROM (SELECT \(column) AS k FROM \(statement.table)"
      + " WHERE \(column) > \(dialect.parameter(1)) ORDER BY \(column) LIMIT \(Self.batchSize))"
      + " AS keys"
    var last: Int64 = 0
    while let end = try session.keys(bound, [.integer(last)]).first {
      let range: [SQLValue] = [.integer(last), .integer(end)]
      try advance(session.write(statement.text, range + statement.values))
      last = end
    }
  }

  // MARK: - Refusals

  package func refuse(
    _ what: String, _ keys: [Int64], entity: String, key: String? = nil
  ) throws {
    guard !keys.isEmpty else { return }
    throw PersistenceError(
      .migration, "\(what): \(keys.count).", entityName: entity, key: key, objectIDs: ids(keys))
  }

  private func ids(_ keys: [Int64]) -> [ObjectID] {
    keys.prefix(Self.errorLimit).compactMap {
      change.destination.objectID(forKey: $0) ?? change.source.objectID(forKey: $0)
    }
  }

  package func refuseDuplicates(
    _ constraint: SQLConstraint, _ table: SQLTable, _ session: some SQLEvolutionSession
  ) throws {
    let columns = constraint.index.columns.map(dialect.quoted)
    let reference = table.reference
    var conditions = columns.map { "\($0) IS NOT NULL" }
    if let condition = constraint.index.condition { conditions.append(condition) }
    let list = columns.joined(separator: ", ")
    let groups =
      "SELECT \(list) FROM \(reference) WHERE \(conditions.joined(separator: " AND "))"
      + " GROUP BY \(list) HAVING \(dialect.functionNames.count)(*) > 1"
    let shared = columns.map { "\(dialect.quoted(table.name)).\($0) = d.\($0)" }
    var outer = shared
    // Other entities of the table may have the same values.
    if let condition = constraint.index.condition { outer.append(condition) }
    let keys = try session.keys(
      "SELECT \(key) FROM \(reference) JOIN (\(groups)) AS d ON "
        + outer.joined(separator: " AND ") + " ORDER BY \(key)")
    guard !keys.isEmpty else { return }
    let name = constraint.properties.joined(separator: ", ")
    throw PersistenceError(
      .migrationConstraintViolation,
      "\(keys.count) records of \(constraint.entityName) are not unique by \(name), as the model "
        + "wants them.", entityName: constraint.entityName, key: constraint.properties.first,
      objectIDs: ids(keys))
  }

  // MARK: - Values computed in this process

  private func convert(
    _ column: SQLEvolutionTask.TextColumn, _ session: some SQLEvolutionSession,
    _ advance: (Int) throws -> Void
  ) throws {
    let name = dialect.quoted(column.column)
    let condition = SQLEntityFilter.condition(column.codes, alias: nil, dialect: dialect)
    let query =
      "SELECT \(key), \(name) FROM \(column.table) WHERE \(key) > \(dialect.parameter(1))"
      + " AND \(name) IS NOT NULL AND \(condition) ORDER BY \(key) LIMIT \(Self.batchSize)"
    let update =
      "UPDATE \(column.table) SET \(name) = \(dialect.parameter(2))"
      + " WHERE \(key) = \(dialect.parameter(1))"
    var refused: [Int64] = []
    var last: Int64 = 0
    while true {
      let rows = try session.read(query, [.integer(last)])
      for row in rows {
        guard row.count == 2, case .integer(let number) = row[0], case .text(let text) = row[1]
        else { continue }
        last = number
        guard let url = URL(string: text) else {
          refused.append(number)
          continue
        }
        // URIs are compared by their text.
        let written = url.absoluteString
        if !written.utf8.elementsEqual(text.utf8) {
          _ = try session.write(update, [.integer(number), .text(written)])
        }
      }
      guard !rows.isEmpty else { break }
      try advance(rows.count)
    }
    try refuse(
      "\(column.entity).\(column.key) is to be a URI, and records have texts that are none",
      refused, entity: column.entity, key: column.key)
  }

  private func derive(
    _ entity: SQLEntity, _ slots: [RowSlot], _ session: some SQLEvolutionSession,
    _ advance: (Int) throws -> Void
  ) throws {
    let plan = try change.destination.derivations()
    let query =
      keysQuery(entity.table.reference, [entity.code])
      + " AND \(key) > \(dialect.parameter(1)) ORDER BY \(key) LIMIT \(Self.batchSize)"
    let indices = Set(slots.map(\.index))
    let time = Date()
    var last: Int64 = 0
    while true {
      let keys = try session.keys(query, [.integer(last)])
      guard let end = keys.last else { break }
      last = end
      let rows = try session.rows(forKeys: keys)
      try plan.derive(indices, of: rows, from: session, time: time)
      try session.write(rows, slots, of: entity)
      try advance(keys.count)
    }
  }
}
