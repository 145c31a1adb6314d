// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SQLDialect {
  /// SQLite from 3.37: strict tables, so that a damaged or foreign file cannot hold text in a numeric column.
  package static let sqlite: SQLDialect = {
    var dialect = SQLDialect(
      parameterPrefix: "?", columnType: sqliteColumnType, keyType: "INTEGER PRIMARY KEY",
      list: .jsonArray, text: TextSyntax(position: "instr", length: "length"))
    dialect.tableOptions = " STRICT"
    dialect.linkTableOptions = " WITHOUT ROWID, STRICT"
    dialect.same = "IS"
    dialect.different = "IS NOT"
    // Nulls sort first already.
    dialect.nullsFirst = ""
    dialect.nullsLast = ""
    dialect.truth = { $0 ? "1" : "0" }
    dialect.noLimit = "-1"
    dialect.grouping.prefix = "+"
    dialect.grouping.sorts = true
    dialect.comparesNumbersExactly = true
    dialect.tableLimit = 64
    // From 3.43 on, SQLite's sums compensate for rounding errors; those of the other stores do not.
    dialect.aggregates.sumOfDoubles = { "roost_total(\($0))" }
    dialect.aggregates.averageOfDoubles = { "roost_double_average(\($0))" }
    dialect.aggregates.sumOfIntegers = { "roost_sum(\($0))" }
    dialect.aggregates.averageOfIntegers = { "roost_average(\($0))" }
    dialect.aggregates.sumOfDecimals = { "roost_decimal_sum(\($0))" }
    dialect.aggregates.averageOfDecimals = { "roost_decimal_average(\($0))" }
    dialect.functions = [.fold, .patterns, .apply]
    dialect.views.plainValue = sqlitePlainValue
    return dialect
  }()

  /// PostgreSQL from 13. Names are schema-qualified: they do not depend on a session's search path.
  package static let postgreSQL: SQLDialect = {
    var dialect = SQLDialect(
      parameterPrefix: "$", columnType: postgreSQLColumnType, keyType: "bigint PRIMARY KEY",
      list: .array,
      text: TextSyntax(position: "pg_catalog.strpos", length: "pg_catalog.char_length"))
    dialect.hasBooleans = true
    dialect.dropsDefaults = true
    dialect.parameterLimit = 65_535
    dialect.functionNames = FunctionNames(
      count: "pg_catalog.count", minimum: "pg_catalog.min", maximum: "pg_catalog.max",
      rowNumber: "pg_catalog.row_number", substring: "pg_catalog.substr",
      byteLength: "pg_catalog.length")
    // Sums of integers are exact numerics of any size; only the cast can overflow.
    let sumOfIntegers: Aggregates.Syntax = { "coalesce(CAST(pg_catalog.sum(\($0)) AS bigint), 0)" }
    dialect.aggregates.sumOfSmallIntegers = sumOfIntegers
    dialect.aggregates.sumOfIntegers = sumOfIntegers
    dialect.aggregates.averageOfIntegers = {
      "(CAST(pg_catalog.sum(\($0)) AS double precision) / pg_catalog.count(\($0)))"
    }
    // PostgreSQL sorts NaN as the largest number; here it is null.
    dialect.aggregates.sumOfDoubles = { "nullif(coalesce(pg_catalog.sum(\($0)), 0), 'NaN')" }
    // PostgreSQL's `avg` adds up squares, which overflow long before the average does.
    dialect.aggregates.averageOfDoubles = {
      "nullif(pg_catalog.sum(\($0)) / nullif(pg_catalog.count(\($0)), 0), 'NaN')"
    }
    dialect.aggregates.sumOfDecimals = { "coalesce(pg_catalog.sum(\($0)), 0)" }
    dialect.aggregates.withoutExtremes = [.boolean, .uuid, .data]
    dialect.views.plainValue = postgreSQLPlainValue
    dialect.views.literal = postgreSQLLiteral
    return dialect
  }()

  private static func sqliteColumnType(_ kind: SlotKind) -> String {
    switch kind {
    case .integer, .boolean, .reference, .position: "INTEGER"
    case .double, .date: "REAL"
    case .string, .uri: "TEXT"
    case .data, .uuid, .decimal, .transformable: "BLOB"
    }
  }

  private static func postgreSQLColumnType(_ kind: SlotKind) -> String {
    switch kind {
    case .integer, .reference, .position: "bigint"
    case .boolean: "boolean"
    case .double, .date: "double precision"
    case .string, .uri: "text COLLATE \"C\""
    case .data, .transformable: "bytea"
    case .uuid: "uuid"
    case .decimal: "numeric"
    }
  }
}

extension SQLDialect {
  /// Returns the type of a column without its collation, which a cast does not take.
  func castType(_ kind: SlotKind) -> String {
    let type = columnType(kind)
    guard let collation = type.firstRange(of: " COLLATE") else { return type }
    return String(type[..<collation.lowerBound])
  }
}
