// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostQuery
package import RoostStore

/// A statement and the values of its parameters.
package struct SQLStatement: Sendable {
  package let text: String
  package let bindings: [SQLValue]

  package init(_ text: String, _ bindings: [SQLValue] = []) {
    self.text = text
    self.bindings = bindings
  }
}

/// A batch update as statements.
///
/// There is none where SQL would give another result than the evaluator: then the records are read and written one by
/// one.
package struct SQLBatchUpdate: Sendable {
  private let batch: StoreBatchUpdate
  private let schema: SQLSchema
  private let entity: SQLEntity
  /// The slots that are set, in the order of the request: those with constant values first.
  package let slots: [RowSlot]

  /// Whether the condition reads other records.
  package private(set) var readsOthers = false
  /// Whether an index of the table may find the records.
  package private(set) var usesIndex = false

  /// - Parameters:
  ///   - batch: The request.
  ///   - schema: The tables.
  ///   - derivations: The derived attributes: none of them may depend on the changed records.
  package init?(
    _ batch: StoreBatchUpdate, in schema: SQLSchema, _ derivations: DerivationPlan
  ) throws {
    guard let entity = schema.entity(batch.fetch.entity), batch.fetch.isPlain,
      !derivations.concerns(batch.fetch.entity)
    else { return nil }
    slots = batch.values.map(\.slot) + batch.computed.map(\.slot)
    // A record's changed slots are reported as the bits of one word.
    guard Set(slots).count == slots.count, slots.count <= 64,
      slots.allSatisfy({ entity.column($0) != nil })
    else { return nil }
    self.batch = batch
    self.schema = schema
    self.entity = entity
    // Values and conditions that SQL cannot express are detected now.
    do {
      var generator = makeGenerator()
      // The values first, as everywhere: they must not use the joins of a condition.
      _ = try assignments(&generator)
      _ = try generator.batchConditions()
      readsOthers = generator.aliasCount > 1
      usesIndex = generator.usesIndexedColumn
    } catch is LeftToMemory {
      return nil
    }
  }

  private func makeGenerator() -> FetchGenerator {
    var generator = FetchGenerator(batch.fetch, schema, entity)
    generator.mayBeRefused = true
    return generator
  }

  private var dialect: SQLDialect { schema.dialect }
  private var table: String { entity.table.reference }
  private var key: String { "t0." + dialect.quoted(SQLTable.key) }

  // MARK: - Statements

  /// Returns the statement that updates all matching records.
  ///
  /// - Parameters:
  ///   - returnsKeys: Whether the statement returns their keys.
  ///   - hint: SQL that follows the name of the table.
  package func update(returnsKeys: Bool, hint: String = "") throws -> SQLStatement {
    var generator = makeGenerator()
    var text = try beginning(hint, &generator)
    text += try whereClause(&generator)
    if returnsKeys { text += " RETURNING " + dialect.quoted(SQLTable.key) }
    return SQLStatement(text, generator.bindings)
  }

  /// Returns the statement that updates the records whose keys are in the list that is the last parameter.
  package func updateListed() throws -> SQLStatement {
    var generator = makeGenerator()
    var text = try beginning("", &generator)
    text += " WHERE \(key) = ANY(\(dialect.parameter(generator.bindings.count + 1)))"
    return SQLStatement(text, generator.bindings)
  }

  /// Returns the statement that reads the keys of all matching records, in their order, and for each slot whether the
  /// new value differs from the stored one.
  ///
  /// - Parameters:
  ///   - showsChanges: Whether to read which slots change.
  ///   - ending: SQL at the end of the statement.
  package func selection(showsChanges: Bool, ending: String = "") throws -> SQLStatement {
    var generator = makeGenerator()
    var columns = [key]
    if showsChanges {
      for (slot, value) in try assignments(&generator) {
        let column = "t0." + dialect.quoted(columnName(slot))
        columns.append(
          value == "NULL" ? "\(column) IS NOT NULL" : "\(column) \(dialect.different) \(value)")
      }
    }
    let conditions = try generator.batchConditions()
    let text =
      "SELECT " + columns.joined(separator: ", ") + generator.from(conditions) + " ORDER BY \(key)"
    return SQLStatement(text + ending, generator.bindings)
  }

  /// Returns statements that find a record whose attribute cannot hold its new value; if one is found, nothing may be
  /// written.
  package func probes() throws -> [SQLStatement] {
    try batch.computed.compactMap { change in
      var generator = makeGenerator()
      guard let condition = try value(change, &generator).refusal else { return nil }
      let conditions = try generator.batchConditions() + [condition]
      return SQLStatement(
        "SELECT 1" + generator.from(conditions) + " LIMIT 1", generator.bindings)
    }
  }

  /// Returns the statement that counts the matching records, up to a bound.
  package func counting(upTo bound: Int64) throws -> SQLStatement {
    var generator = makeGenerator()
    let conditions = try generator.batchConditions()
    let inner = "SELECT 1" + generator.from(conditions) + " LIMIT \(bound)"
    return SQLStatement(
      "SELECT \(dialect.functionNames.count)(*) FROM (\(inner)) AS counted", generator.bindings)
  }

  /// The statement that reads the largest key of the table.
  package var largestKey: SQLStatement {
    SQLStatement(
      "SELECT \(dialect.functionNames.maximum)(\(dialect.quoted(SQLTable.key))) FROM \(table)")
  }

  // MARK: - Parts

  private func beginning(_ hint: String, _ generator: inout FetchGenerator) throws -> String {
    let version = dialect.quoted(SQLTable.version)
    let changes = try assignments(&generator).map { slot, value in
      "\(dialect.quoted(columnName(slot))) = \(value)"
    }
    return "UPDATE \(table) AS t0\(hint) SET "
      + (["\(version) = t0.\(version) + 1"] + changes).joined(separator: ", ")
  }

  private func whereClause(_ generator: inout FetchGenerator) throws -> String {
    let conditions = try generator.batchConditions()
    guard generator.scopes[0].joins.isEmpty else {
      return " WHERE \(key) IN (SELECT \(key)\(generator.from(conditions)))"
    }
    let all = (generator.entityCondition().map { [$0] } ?? []) + conditions
    return all.isEmpty ? "" : " WHERE " + FetchGenerator.joined(all, by: "AND")
  }

  private func columnName(_ slot: RowSlot) -> String { entity.column(slot)?.name ?? "" }

  /// Returns the new value of each slot, as an expression.
  private func assignments(
    _ generator: inout FetchGenerator
  ) throws -> [(slot: RowSlot, value: String)] {
    var result: [(slot: RowSlot, value: String)] = []
    for change in batch.values {
      guard case .value(let bound)? = schema.constant(change.value, as: change.slot.kind) else {
        throw LeftToMemory("a value of another type than its attribute")
      }
      // A null parameter would have no type.
      result.append((change.slot, bound == .null ? "NULL" : generator.bind(bound)))
    }
    for change in batch.computed {
      result.append((change.slot, try value(change, &generator).text))
    }
    return result
  }

  /// Returns the expression of a new value, and the condition that is true when the attribute cannot hold it.
  private func value(
    _ change: StoreBatchUpdate.ComputedSlot, _ generator: inout FetchGenerator
  ) throws -> (text: String, refusal: String?) {
    let joined = generator.aliasCount
    let operand = try generator.operand(change.expression)
    guard generator.aliasCount == joined else {
      throw LeftToMemory("a value that is computed of other records")
    }
    guard case .slot(let kind) = operand.kind else { throw LeftToMemory("an entity as a value") }
    let (text, type) = (operand.text, change.attribute.type)
    if case .path(let path) = change.expression, case .attribute(let source, _) = path.end,
      source.type == type, kind == change.slot.kind, kind != .transformable
    {
      return (text, nil)
    }
    switch (kind, type) {
    case (.integer, .integer16): return (text, "\(text) NOT BETWEEN -32768 AND 32767")
    case (.integer, .integer32): return (text, "\(text) NOT BETWEEN -2147483648 AND 2147483647")
    case (.integer, .integer64), (.boolean, .boolean), (.string, .string): return (text, nil)
    case (.integer, .double):
      // A double can represent integers of up to 53 bits exactly.
      let limit = Int64(1) << 53
      let refusal = "\(text) NOT BETWEEN -\(limit) AND \(limit)"
      return (cast(text), operand.isWide ? refusal : nil)
    case (.double, .double), (.date, .date):
      // Negative zero becomes zero.
      return ("(\(text) + \(cast("0")))", nil)
    default: throw LeftToMemory("a value of a type that its attribute does not have")
    }
  }

  private func cast(_ text: String) -> String {
    "CAST(\(text) AS \(dialect.columnType(.double)))"
  }
}

extension FetchGenerator {
  /// Returns all conditions of the request.
  ///
  /// - Throws: `LeftToMemory` when the database cannot evaluate one of them.
  mutating func batchConditions() throws -> [String] {
    var conditions: [String] = []
    for conjunct in Self.flattened(request.predicate) {
      let condition = try condition(conjunct)
      if condition != .always { conditions.append(condition.text) }
    }
    return conditions
  }
}

extension ResolvedFetch {
  /// Whether the request has no limit and no offset, so that it means all matching records.
  fileprivate var isPlain: Bool { limit == nil && offset == 0 && !entities.isEmpty }
}
