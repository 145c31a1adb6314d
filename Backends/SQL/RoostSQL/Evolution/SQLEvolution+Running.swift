// SPDX-License-Identifier: Apache-2.0

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
    case .refuseRecords, .refuseClaims, .refuseLinks: return true
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
    try run(presentTasks, session, reading: before, verify: verification, reporter)
  }

  /// Runs some of the tasks in the open transaction.
  func run<Session: SQLEvolutionSession>(
    _ tasks: [SQLEvolutionTask], _ session: Session, reading before: Session,
    verify verification: EvolutionPolicy.Verification, _ reporter: MigrationReporter
  ) throws {
    let counts = try EvolutionCounts(tasks.map(\.extent), in: source, session)
    let check = try SQLVerification(self, verification, before)
    for task in tasks {
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
    var last: Int64 = 0
    while let portion = try run(action, after: last, count: Self.batchSize, session) {
      try advance(portion.rows)
      guard let end = portion.end else { return }
      last = end
    }
  }

  /// Runs an action that does not go through records in portions.
  ///
  /// - Returns: The number of rows that were written.
  func runWhole(
    _ action: SQLEvolutionTask.Action, _ session: some SQLEvolutionSession
  ) throws -> Int {
    switch action {
    case .define(let text): try session.define(text)
    case .remove(let text, let otherwise):
      if try !session.remove(text), let otherwise { return try session.write(otherwise, []) }
    case .writeAll(let text): return try session.write(text, [])
    case .refuseRecords(let table, let codes, let entity):
      try refuse(
        "\(entity) is to be abstract, and the store has records of it",
        session.keys(keysQuery(table, codes) + " ORDER BY \(key)"), entity: entity)
    case .refuseClaims(let query, let entity, let name):
      try refuse(
        "\(entity).\(name) leads to one object, and several records would be its destination",
        session.keys(query), entity: entity, key: name)
    case .refuseLinks(let query, let place):
      let keys = try session.keys(query)
      if let error = change.refusal(ofLinksToOtherStores: keys, in: place) { throw error }
    case .refuseDuplicates(let constraint, let table):
      try refuseDuplicates(constraint, table, session)
    case .write, .convertToURIs, .derive: break
    }
    return 0
  }

  func keysQuery(_ table: String, _ codes: [Int]) -> String {
    "SELECT \(key) FROM \(table)"
      + " WHERE \(SQLEntityFilter.condition(codes, alias: nil, dialect: dialect))"
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
}
