// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The expansion of a store to two versions of its model, and the contraction to the new one, in PostgreSQL's SQL
/// (M40-M43).
///
/// Both versions use the same tables, each by its own names. The expansion adds what only the new version has: columns
/// with a default, so that records that the old version inserts have a value, tables and indexes. What only the old
/// version has stays until the contraction. Every step can be repeated.
package struct SQLExpansion {
  /// The two versions side by side.
  package private(set) var evolution: SQLEvolution
  /// Returns a value as a literal for a definition; nil for a value without one.
  let literal: (SQLValue) -> String?

  /// Creates the expansion of two versions.
  ///
  /// - Parameters:
  ///   - evolution: The versions side by side.
  ///   - literal: Returns a value as a literal for a definition.
  package init(_ evolution: SQLEvolution, literal: @escaping (SQLValue) -> String?) {
    self.evolution = evolution
    self.literal = literal
  }

  var dialect: SQLDialect { evolution.dialect }
  var key: String { evolution.key }

  /// The prefix of the names of the functions that keep the versions in step; a number follows.
  package static let functionPrefix = "_roost_sync_"

  // MARK: - Expanding

  /// Returns the steps that expand the store, in order. Values come before the steps that need them, and indexes last.
  ///
  /// - Throws: `migration` when the two versions cannot be served side by side.
  package func steps() throws -> [ExpansionStep] {
    try ExpansionCheck(self).check()
    return try newTables() + newColumns() + oldColumns() + widenedColumnSteps() + deletions()
      + columnSteps() + requiredValues() + relationSteps() + indexes()
  }

  private func newTables() -> [ExpansionStep] {
    let mapping = evolution.destination
    let records = mapping.tables.filter { evolution.kept.table(ofRoot: $0.root) == nil }.map {
      table in
      ExpansionStep(
        "make a table for \(table.root.name ?? "")", .catalogue, .none,
        .define(
          [mapping.definition(table).ifMissing("TABLE ")]
            + table.indexes.map {
              mapping.definition($0, on: table).ifMissing("INDEX ")
            }))
    }
    let links = mapping.linkTables.filter { evolution.kept.table(of: $0.links) == nil }.map {
      table in
      ExpansionStep(
        "make a table for \(table.links.name)", .catalogue, .none,
        .define([
          mapping.definition(table).ifMissing("TABLE "),
          mapping.reverseDefinition(table).ifMissing("INDEX "),
        ]))
    }
    return records + links
  }

  /// Returns whether the old version has the column as well.
  func isShared(_ column: EvolvedColumn) -> Bool {
    evolution.kept.table(ofRoot: column.table.root)?.columns
      .contains { $0.name == column.column.name } ?? false
  }

  private func newColumns() throws -> [ExpansionStep] {
    try evolution.evolvedColumns().filter { !isShared($0) }.map { column in
      var text =
        "ALTER TABLE \(column.table.reference) ADD COLUMN IF NOT EXISTS "
        + "\(dialect.quoted(column.column.name)) \(dialect.columnType(column.column.kind))"
      if let value = try column.constant(), let literal = literal(value) {
        text += " DEFAULT \(literal)"
      }
      return ExpansionStep(
        "add \(column.title)", .addColumn, .readersAndWritersWait, .define([text]))
    }
  }

  /// Adds defaults to columns that only the old version has: records that the new version inserts get a value that the
  /// old one can read.
  private func oldColumns() throws -> [ExpansionStep] {
    try oldAttributes().compactMap { old in
      guard let literal = old.value.flatMap(literal) else { return nil }
      return ExpansionStep(
        "keep \(old.title) for the old version", .catalogue, .readersAndWritersWait,
        .define([
          "ALTER TABLE \(old.table.reference) ALTER COLUMN \(dialect.quoted(old.column.name))"
            + " SET DEFAULT \(literal)"
        ]))
    }
  }

  // MARK: - Required values of the new version

  /// Returns the columns in which the new version requires a value where the old one allows null.
  private func demanded() throws -> [(
    column: EvolvedColumn, values: [(codes: [Int], value: String)]
  )] {
    try evolution.evolvedColumns().compactMap { column in
      var values: [(codes: [Int], value: String)] = []
      for member in column.members {
        guard let value = member.entity.demandedValue(member.slot),
          let literal = literal(try SQLValue(value))
        else { continue }
        if let place = values.firstIndex(where: { $0.value == literal }) {
          values[place].codes.append(member.code)
        } else {
          values.append(([member.code], literal))
        }
      }
      return values.isEmpty ? nil : (column, values)
    }
  }

  /// Existing records get their value in batches, and concurrent writes of the old version get it from a trigger.
  private func requiredValues() throws -> [ExpansionStep] {
    let demanded = try demanded()
    var steps: [ExpansionStep] = []
    for (number, table) in evolution.destination.tables.enumerated() {
      let columns = demanded.filter { $0.column.table === table }
      guard !columns.isEmpty else { continue }
      var lines: [String] = []
      for (column, values) in columns {
        let name = dialect.quoted(column.column.name)
        for (codes, value) in values {
          let list = codes.sorted().map(String.init).joined(separator: ", ")
          lines.append(
            "IF NEW.\(name) IS NULL AND (NEW.\(key) & 4095) IN (\(list)) "
              + "THEN NEW.\(name) := \(value); END IF;")
        }
      }
      let function = "\(Self.functionPrefix)fill_\(number)"
      steps.append(
        ExpansionStep(
          "give \(columns.map(\.column.title).joined(separator: ", ")) a value where it has none",
          .catalogue, .writersWait,
          .define(
            trigger(
              function, lines + ["RETURN NEW;"], on: table.reference,
              when: "BEFORE INSERT OR UPDATE ON \(table.reference) FOR EACH ROW"))))
      for (column, values) in columns {
        for (codes, value) in values {
          steps.append(fill(column, codes, value))
        }
      }
    }
    return steps
  }

  private func fill(_ column: EvolvedColumn, _ codes: [Int], _ value: String) -> ExpansionStep {
    let name = dialect.quoted(column.column.name)
    let list = codes.sorted().map(String.init).joined(separator: ", ")
    return ExpansionStep(
      "fill \(column.title)", .fill, .none,
      .fill(
        ExpansionStep.Fill(
          text: "UPDATE \(column.table.reference) SET \(name) = \(value) WHERE \(name) IS NULL"
            + " AND (\(key) & 4095) IN (\(list)) AND \(evolution.inRange(key))",
          table: column.table.reference)))
  }

  /// Returns the statements that create or replace a function and the trigger that calls it.
  func trigger(
    _ function: String, _ lines: [String], on table: String, when event: String,
    variables: [String] = []
  ) -> [String] {
    let declarations = variables.isEmpty ? "" : "DECLARE \(variables.joined(separator: "; ")); "
    let body =
      literal(.text("\(declarations)BEGIN \(lines.joined(separator: " ")) END")) ?? "''"
    let name = dialect.quoted(function)
    // Every program that saves runs it, and may lack privileges on tables that only the other version has.
    return [
      "CREATE OR REPLACE FUNCTION \(dialect.qualified(function))() RETURNS trigger LANGUAGE plpgsql "
        + "SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS \(body)",
      "DROP TRIGGER IF EXISTS \(name) ON \(table)",
      "CREATE TRIGGER \(name) \(event) EXECUTE FUNCTION \(dialect.qualified(function))()",
    ]
  }

  // MARK: - Indexes

  /// Returns the indexes that only the new version has, on tables that both use.
  private func indexes() -> [ExpansionStep] {
    let mapping = evolution.destination
    return mapping.tables.flatMap { table -> [ExpansionStep] in
      guard let before = evolution.kept.table(ofRoot: table.root) else { return [] }
      let new = table.indexes.filter { index in
        !before.indexes.contains { $0.name == index.name }
      }
      return new.map { index in
        let constraint = constraint(of: index)
        let title = constraint.map {
          "unique \($0.entityName).\($0.properties.joined(separator: ","))"
        }
        return ExpansionStep(
          title ?? "index \(index.name)", .index, .none,
          .index(
            ExpansionStep.Index(
              name: index.name, constraint: constraint, table: table,
              statement: mapping.definition(index, on: table).replacing(
                "INDEX ", with: "INDEX CONCURRENTLY ", maxReplacements: 1))))
      }
    }
  }

  private func constraint(of index: SQLIndex) -> SQLConstraint? {
    let mapping = evolution.destination
    return mapping.store.entities.lazy.compactMap { mapping.entity($0) }
      .flatMap(\.constraints).first { $0.index.name == index.name }
  }

  // MARK: - Names

  /// The identifiers that only the new version uses, as reserved paths of the old one, which must not assign them.
  package var reservedNames: [(path: String, identifier: String)] {
    let old = evolution.oldNames.identifiers
    let space = SQLNames.Path.tableSpace
    let taken = Set(old.filter { $0.key.hasPrefix(space + "/") }.values)
    var reserved: [String: String] = [:]
    for (path, identifier) in evolution.names.identifiers
    where path.hasPrefix(space + "/") && !taken.contains(identifier) {
      reserved[SQLNames.Path.retired(identifier, in: space).text] = identifier
    }
    for table in evolution.destination.tables {
      guard let before = evolution.kept.table(ofRoot: table.root) else { continue }
      let known = Set(before.columns.map(\.name))
      let space = SQLNames.Path.columnSpace(table: before.root.name ?? "")
      for column in table.columns where !known.contains(column.name) {
        reserved[SQLNames.Path.retired(column.name, in: space).text] = column.name
      }
    }
    return reserved.filter { old[$0.key] == nil }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  // MARK: - Contraction

  /// Returns the evolution that ends the old version and removes what only that version has.
  ///
  /// - Parameters:
  ///   - indexes: The indexes that the store has recorded.
  ///   - counts: Whether its steps count the removed records, for a plan. Nothing is counted while tables are locked.
  package func contraction(
    droppingFrom indexes: some Sequence<String>, counts: Bool
  ) throws -> SQLEvolution {
    let mapping = evolution.destination
    let lasting = Set(
      mapping.tables.flatMap(\.indexes).map(\.name) + mapping.linkTables.map(\.reverseIndex))
    // A program of the second version may have other indexes than the one that expanded the store.
    let retired = SQLNames.Path.tableSpace + "//"
    let named = evolution.names.identifiers
      .filter { $0.key.isOfIndex && !$0.key.hasPrefix(retired) }.values
    let gone = Set(indexes).union(named)
      .filter { SQLNames.isIdentifier($0) && !lasting.contains($0) }.sorted()
    var defaults: [SQLEvolutionTask.Action] = []
    let forgotten =
      try evolution.evolvedColumns().filter { try $0.constant() != nil }
      .map { ($0.table.reference, $0.column.name) }
      + oldAttributes().filter { $0.isUsed && $0.value != nil }
      .map { ($0.table.reference, $0.column.name) }
    for (table, column) in forgotten {
      defaults.append(
        .define("ALTER TABLE \(table) ALTER COLUMN \(dialect.quoted(column)) DROP DEFAULT"))
    }
    var result = evolution
    result.tasks = []
    if !defaults.isEmpty {
      result.tasks.append(
        SQLEvolutionTask("forget the defaults of columns", kind: .catalogue, actions: defaults))
    }
    if !gone.isEmpty {
      result.tasks.append(
        SQLEvolutionTask(
          "drop indexes", kind: .catalogue,
          actions: gone.map { .define("DROP INDEX IF EXISTS \(dialect.qualified($0))") }))
    }
    result.tasks += evolution.removals()
    if !counts {
      for index in result.tasks.indices { result.tasks[index].extent = .none }
    }
    return result
  }
}

extension String {
  /// Returns a definition that does nothing when the object exists.
  fileprivate func ifMissing(_ word: String) -> String {
    replacing(word, with: word + "IF NOT EXISTS ", maxReplacements: 1)
  }
}

extension EvolvedColumn {
  /// Returns the value of records without one, which is that of a new attribute; nil for null.
  func constant() throws -> SQLValue? {
    for member in members {
      if case .constant(let value) = member.slot.origin, !value.isNull {
        return try SQLValue(value)
      }
    }
    return nil
  }
}

extension SQLEvolution {
  /// Removes the key-range statements from the tasks, and returns them.
  package mutating func takeRangedWrites() -> [ExpansionStep.Fill] {
    var taken: [ExpansionStep.Fill] = []
    let key = key
    for index in tasks.indices {
      tasks[index].actions.removeAll { action in
        guard case .write(let statement) = action, statement.values.isEmpty,
          statement.column == key
        else { return false }
        taken.append(ExpansionStep.Fill(text: statement.text, table: statement.table))
        return true
      }
    }
    return taken
  }
}
