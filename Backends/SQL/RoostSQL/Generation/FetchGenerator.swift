// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery
import RoostStore

/// Generates one SQL statement for a fetch request.
///
/// Everything that SQL can express runs in the database. The condition is split at its outermost `AND`s: conditions
/// that the database cannot evaluate are left to the shared evaluator, and so are the limit and other parts that need
/// the complete result. A failed attempt has no effect, because the generator is a value type and the attempt used a
/// copy.
package struct FetchGenerator {
  let schema: SQLSchema
  let request: ResolvedFetch
  /// The names of the slots that are needed in rows; nil for all.
  private(set) var neededSlots: Set<String>?
  /// The values of the parameters so far.
  var bindings: [SQLValue] = []
  /// The scopes: that of the fetched records first, then those of the members that subqueries bind.
  var scopes: [SQLScope]
  /// The scope of each subquery variable.
  var scopeByVariable: [Int: Int] = [:]
  /// The number of table aliases so far.
  var aliasCount = 1
  /// The nesting depth of the current condition.
  var depth = 0
  /// The grouping terms, while an expression over a group is generated; nil elsewhere.
  var groups: Set<String>?
  /// Whether sums and averages of doubles are left to memory.
  private(set) var leavesDoubleSums = false
  /// Whether the statement may use functions with which the database raises an error where the evaluator gives nil:
  /// the caller then needs a fallback.
  var mayBeRefused = false
  /// Whether one of the model's indexes can serve a condition so far.
  var usesIndexedColumn = false

  var dialect: SQLDialect { schema.dialect }

  init(_ request: ResolvedFetch, _ schema: SQLSchema, _ entity: SQLEntity) {
    self.schema = schema
    self.request = request
    scopes = [SQLScope(entity: entity, alias: "t0")]
  }

  /// Generates the statement of a request.
  ///
  /// - Parameters:
  ///   - leavingDoubleSums: Whether sums and averages of doubles are left to memory, as is needed when they overflow in
  ///     the database.
  ///   - neededSlots: The names of the slots that are needed in rows, the others being null; nil for all. A request
  ///     that is completed in memory gets them all.
  /// - Throws: `unknownEntity` when the store does not hold the entity, `limitExceeded` when a condition is nested too
  ///   deeply or has too many values.
  package static func query(
    for request: ResolvedFetch, in schema: SQLSchema, leavingDoubleSums: Bool = false,
    neededSlots: Set<String>? = nil
  ) throws -> SQLQuery {
    guard let entity = schema.entity(request.entity) else {
      throw PersistenceError(
        .unknownEntity, "The store does not hold the entity.", entityName: request.entity.name)
    }
    var generator = FetchGenerator(request, schema, entity)
    generator.leavesDoubleSums = leavingDoubleSums
    generator.neededSlots = neededSlots
    let query = try generator.makeQuery()
    let limit = schema.dialect.parameterLimit
    guard query.bindings.count <= limit else {
      throw PersistenceError(
        .limitExceeded,
        "The request has \(query.bindings.count) values; the database takes \(limit).")
    }
    return query
  }

  private mutating func makeQuery() throws -> SQLQuery {
    var left: [ResolvedPredicate] = []
    var reasons: [String] = []
    let conditions = try pushConditions(left: &left, reasons: &reasons)
    var order: [String] = []
    var leavesSort = false
    do {
      var attempt = self
      order = try attempt.orderTerms()
      self = attempt
    } catch let failure as LeftToMemory {
      leavesSort = true
      reasons.append("sort: " + failure.reason)
    }
    if left.isEmpty, !leavesSort, case .columns(let columns) = request.result {
      do {
        var attempt = self
        let query = try attempt.columnsQuery(columns, conditions: conditions, order: order)
        return query
      } catch let failure as LeftToMemory {
        reasons.append("columns: " + failure.reason)
        return rowsQuery(
          conditions, order: order,
          remainder: FetchRemainder(predicate: nil, sort: false, window: columns.needsAllRows),
          reasons: reasons)
      }
    }
    if left.isEmpty, !leavesSort {
      return completeQuery(conditions, order: order)
    }
    return rowsQuery(
      conditions, order: order,
      remainder: FetchRemainder(
        predicate: left.isEmpty ? nil : left.count == 1 ? left[0] : .and(left), sort: leavesSort,
        window: true),
      reasons: reasons)
  }

  /// Generates the conditions that the database can evaluate, and collects the others.
  private mutating func pushConditions(
    left: inout [ResolvedPredicate], reasons: inout [String]
  ) throws -> [String] {
    var conditions: [String] = []
    for conjunct in Self.flattened(request.predicate) {
      do {
        var attempt = self
        let condition = try attempt.condition(conjunct)
        guard condition != .always else { continue }
        self = attempt
        conditions.append(condition.text)
      } catch let failure as LeftToMemory {
        left.append(conjunct)
        reasons.append("condition: " + failure.reason)
        if let narrowing = try narrowing(conjunct) { conditions.append(narrowing) }
      }
    }
    return conditions
  }

  /// Returns the conditions that must all be true, with nested `AND`s flattened.
  static func flattened(_ predicate: ResolvedPredicate?) -> [ResolvedPredicate] {
    var result: [ResolvedPredicate] = []
    var stack = predicate.map { [$0] } ?? []
    while let next = stack.popLast() {
      if case .and(let parts) = next {
        stack.append(contentsOf: parts.reversed())
      } else {
        result.append(next)
      }
    }
    return result
  }
}

extension ResolvedColumns {
  /// Whether limit and offset do not count records.
  var needsAllRows: Bool { isAggregated || distinct }
}

// MARK: - Whole statements

extension FetchGenerator {
  private mutating func completeQuery(_ conditions: [String], order: [String]) -> SQLQuery {
    switch request.result {
    case .rows, .columns:
      return rowsQuery(conditions, order: order, remainder: nil, reasons: [])
    case .keys:
      let text =
        "SELECT " + keyColumn + from(conditions) + orderBy(order) + window()
      return SQLQuery(
        text: text, bindings: bindings, shape: .keys, remainder: nil, inMemory: [])
    case .count:
      let count = "SELECT \(dialect.functionNames.count)(*)"
      var text = count + from(conditions)
      if request.limit != nil || request.offset > 0 {
        text = count + " FROM (SELECT 1" + from(conditions) + window() + ") AS counted"
      }
      return SQLQuery(
        text: text, bindings: bindings, shape: .count, remainder: nil, inMemory: [])
    }
  }

  private mutating func rowsQuery(
    _ conditions: [String], order: [String], remainder: FetchRemainder?, reasons: [String]
  ) -> SQLQuery {
    let entity = scopes[0].entity
    let columns = neededColumns(entity)
    let alias = scopes[0].alias
    let unread = remainder == nil ? unreadColumns(columns) : []
    let own = [SQLTable.key, SQLTable.version].map { alias + "." + dialect.quoted($0) }
    let others = columns.map { column in
      unread.contains(column.name)
        ? "CAST(NULL AS \(dialect.castType(column.kind)))"
        : alias + "." + dialect.quoted(column.name)
    }
    let selection = (own + others).joined(separator: ", ")
    var text = "SELECT " + selection + from(conditions) + orderBy(order)
    if remainder?.window != true { text += window() }
    return SQLQuery(
      text: text, bindings: bindings, shape: .rows(columns), remainder: remainder,
      inMemory: reasons)
  }

  /// Returns the columns of all entities whose records can be in the result.
  private func neededColumns(_ entity: SQLEntity) -> [SQLColumn] {
    var wanted = Set<Int>()
    for concrete in request.entities {
      guard let mapped = schema.entity(concrete), mapped.table === entity.table else { continue }
      wanted.formUnion(mapped.columnBySlot.filter { $0 >= 0 })
    }
    return wanted.sorted().map { entity.table.columns[$0] }
  }

  /// Returns the names of the columns in which no entity has a needed slot.
  private func unreadColumns(_ columns: [SQLColumn]) -> Set<String> {
    guard let neededSlots else { return [] }
    var unread = Set(columns.map(\.name))
    for concrete in request.entities {
      guard let mapped = schema.entity(concrete) else { continue }
      for slot in mapped.storedSlots where neededSlots.contains(concrete.layout.names[slot.index]) {
        if let column = mapped.column(slot) { unread.remove(column.name) }
      }
    }
    return unread
  }

  var keyColumn: String { scopes[0].alias + "." + dialect.quoted(SQLTable.key) }

  /// The FROM and WHERE clauses.
  func from(_ conditions: [String]) -> String {
    let scope = scopes[0]
    var text = " FROM \(scope.entity.table.reference) AS \(scope.alias)" + scope.joinText
    let all = (entityCondition().map { [$0] } ?? []) + conditions
    if !all.isEmpty { text += " WHERE " + Self.joined(all, by: "AND") }
    return text
  }

  /// Returns the condition that a record is of one of the requested entities; nil when the table holds no others.
  func entityCondition() -> String? {
    let table = scopes[0].entity.table
    let codes = request.entities.compactMap { schema.entity($0) }
      .filter { $0.table === table }.map(\.code).sorted()
    guard codes != table.codes else { return nil }
    let condition = SQLEntityFilter.condition(codes, alias: scopes[0].alias, dialect: dialect)
    // Without statistics a database prefers any index to another one; the model's are more selective than the
    // hierarchy's.
    return usesIndexedColumn ? SQLEntityFilter.withoutIndex(condition) : condition
  }

  func orderBy(_ order: [String], ofGroups: Bool = false) -> String {
    let tieBreaker = ofGroups ? "\(dialect.functionNames.minimum)(\(keyColumn))" : keyColumn
    return " ORDER BY " + (order + [tieBreaker]).joined(separator: ", ")
  }

  /// The LIMIT and OFFSET clauses.
  mutating func window() -> String {
    guard request.limit != nil || request.offset > 0 else { return "" }
    let limit = request.limit.map { bind(.integer(Int64($0))) } ?? dialect.noLimit
    var text = " LIMIT " + limit
    if request.offset > 0 { text += " OFFSET " + bind(.integer(Int64(request.offset))) }
    return text
  }
}

// MARK: - Pieces

extension FetchGenerator {
  /// Adds a parameter and returns its SQL. Where booleans have a type of their own, they are written as literals: the
  /// planner handles a condition worse when its value is known only at run time.
  mutating func bind(_ value: SQLValue) -> String {
    if case .boolean(let truth) = value, dialect.hasBooleans { return dialect.truth(truth) }
    bindings.append(value)
    return dialect.parameter(bindings.count)
  }

  /// Returns a new table alias.
  mutating func makeAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// Joins terms with a connective, as a balanced tree: databases limit the depth of an expression, not the number of
  /// terms.
  static func joined(_ terms: [String], by connective: String) -> String {
    var level = terms
    let separator = " " + connective + " "
    while level.count > 32 {
      level = stride(from: 0, to: level.count, by: 32).map { start in
        "(" + level[start..<min(start + 32, level.count)].joined(separator: separator) + ")"
      }
    }
    return level.joined(separator: separator)
  }
}
