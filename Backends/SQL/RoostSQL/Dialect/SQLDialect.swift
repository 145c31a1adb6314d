// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The SQL dialect of a database: its syntax, its types, and the Roost functions that are registered with it.
///
/// Generators ask the dialect for a capability, never for the name of a database. The known dialects are in
/// `SQLDialect+Known.swift`.
///
/// ```swift
/// var dialect = SQLDialect(
///   parameterPrefix: "$", columnType: { $0 == .string ? "VARCHAR" : "BIGINT" },
///   keyType: "BIGINT PRIMARY KEY", list: .array,
///   text: SQLDialect.TextSyntax(position: "strpos", length: "length"))
/// dialect.hasBooleans = true
/// ```
public struct SQLDialect: Sendable {
  /// The prefix of a parameter's number: `?` or `$`. No default is provided.
  public var parameterPrefix: String
  /// The declared type of a column for a kind of values. No default is provided.
  public var columnType: @Sendable (SlotKind) -> String
  /// The type and constraints of a record's key column. No default is provided.
  public var keyType: String
  /// The table options after the column list of a record table. Defaults to none.
  public var tableOptions = ""
  /// The table options after the column list of a link table. Defaults to none.
  public var linkTableOptions = ""
  /// The qualifier of the names of tables and indexes: the quoted namespace and a dot. Defaults to none, so that the
  /// database resolves the names.
  public var namespace = ""
  /// The names of built-in functions.
  public var functionNames = FunctionNames()
  /// The longest identifier in bytes. Defaults to 63.
  public var identifierLimit = 63
  /// The null-safe equality operator: it is true for two nulls, false for one, and never null. Defaults to the
  /// standard's.
  public var same = "IS NOT DISTINCT FROM"
  /// The opposite of ``same``. Defaults to the standard's.
  public var different = "IS DISTINCT FROM"
  /// The suffix of an ascending order term that sorts nulls first. Defaults to the standard's.
  public var nullsFirst = " NULLS FIRST"
  /// The suffix of a descending order term that sorts nulls last. Defaults to the standard's.
  public var nullsLast = " NULLS LAST"
  /// The literal of a boolean. Defaults to the standard's.
  public var truth: @Sendable (Bool) -> String = { $0 ? "TRUE" : "FALSE" }
  /// The LIMIT of a query that only has an offset. Defaults to `ALL`.
  public var noLimit = "ALL"
  /// Whether integers and doubles are compared by their exact values, not after rounding. Defaults to `false`.
  public var comparesNumbersExactly = false
  /// Whether booleans have a type of their own; otherwise they are the integers 0 and 1. Defaults to `false`.
  public var hasBooleans = false
  /// The aggregate functions. By default, only sums of small integers and sums and averages of doubles run in the
  /// database; other sums and averages are left to memory.
  public var aggregates = Aggregates()
  /// The syntax that reads the values of one list parameter. No default is provided.
  public var list: ListSyntax
  /// The functions that search a text. No default is provided.
  public var text: TextSyntax
  /// The Roost functions that the driver has registered. Defaults to none.
  public var functions: Functions = []
  /// How the database makes groups.
  package var grouping = Grouping()
  /// Whether the default of an added column can be dropped while old records keep the value. Defaults to `false`.
  package var dropsDefaults = false
  /// Writes the values of views.
  package var views = Views()
  /// The largest number of tables in one join; a longer one is evaluated in memory. Defaults to no limit.
  package var tableLimit = Int.max
  /// The deepest nesting of conditions that is translated. Defaults to 200.
  public var depthLimit = 200
  /// The largest number of parameters of one statement. Defaults to 32,766.
  public var parameterLimit = 32_766

  /// Creates a dialect from the properties that have no default; all others have one.
  ///
  /// - Parameters:
  ///   - parameterPrefix: The prefix of a parameter's number.
  ///   - columnType: The declared type of a column for a kind of values.
  ///   - keyType: The type and constraints of a record's key column.
  ///   - list: The syntax that reads the values of one list parameter.
  ///   - text: The functions that search a text.
  public init(
    parameterPrefix: String, columnType: @escaping @Sendable (SlotKind) -> String,
    keyType: String, list: ListSyntax, text: TextSyntax
  ) {
    self.parameterPrefix = parameterPrefix
    self.columnType = columnType
    self.keyType = keyType
    self.list = list
    self.text = text
  }

  /// The aggregate functions of a database. Each member takes the expression of the value; nil leaves the aggregate to
  /// memory. The sum of no values is 0, their average null; NaN is null.
  ///
  /// ```swift
  /// dialect.aggregates.averageOfDoubles = { "mean(\($0))" }
  /// ```
  public struct Aggregates: Sendable {
    /// Writes an aggregate of an expression.
    public typealias Syntax = @Sendable (String) -> String

    /// The sum of 32-bit integers, which cannot overflow.
    public var sumOfSmallIntegers: Syntax? = { "coalesce(sum(\($0)), 0)" }
    /// The sum of any integers, exact, with an error when it is out of range.
    public var sumOfIntegers: Syntax?
    /// The average of integers: their exact sum, rounded once, divided by their number.
    public var averageOfIntegers: Syntax?
    /// The sum of doubles.
    public var sumOfDoubles: Syntax? = { "coalesce(sum(\($0)), 0)" }
    /// The average of doubles.
    public var averageOfDoubles: Syntax? = { "avg(\($0))" }
    /// The sum of decimals, with an error when it is out of range.
    public var sumOfDecimals: Syntax?
    /// The average of decimals, as a double.
    public var averageOfDecimals: Syntax?
    /// The kinds of values without MIN and MAX in the database. Defaults to none.
    public var withoutExtremes: Set<SlotKind> = []
  }

  /// How a database makes groups.
  package struct Grouping: Sendable {
    /// A prefix of a grouping term that keeps the database from using an index for its order.
    package var prefix = ""
    /// Whether the database makes groups by sorting, unless an index has them in order: then the driver groups by
    /// numbers itself, which is faster.
    package var sorts = false
  }

  /// The names of functions that every database has.
  ///
  /// ```swift
  /// dialect.functionNames.byteLength = "octet_length"
  /// ```
  public struct FunctionNames: Sendable {
    /// Counts rows and values.
    public var count = "count"
    /// The smallest value.
    public var minimum = "min"
    /// The largest value.
    public var maximum = "max"
    /// The row number within a window.
    package var rowNumber = "row_number"
    /// A substring of a text.
    public var substring = "substr"
    /// The number of bytes.
    public var byteLength = "length"
  }

  /// The syntax that reads the values of one list parameter.
  ///
  /// ```swift
  /// dialect.list = .array
  /// ```
  public enum ListSyntax: Sendable {
    /// `(SELECT value FROM json_each(?))`, after `IN`.
    case jsonArray
    /// `ANY(?)`, after `=`.
    case array
  }

  /// The functions that search a text.
  ///
  /// ```swift
  /// dialect.text = SQLDialect.TextSyntax(position: "strpos", length: "length")
  /// ```
  public struct TextSyntax: Sendable {
    /// The function that finds the second text in the first, counted from 1.
    public var position: String
    /// The function that counts the characters of a text.
    public var length: String

    /// Names the two functions.
    public init(position: String, length: String) {
      self.position = position
      self.length = length
    }
  }

  /// The Roost functions that a driver registers with its database.
  ///
  /// ```swift
  /// dialect.functions = [.fold]
  /// ```
  public struct Functions: OptionSet, Sendable {
    /// The functions as bits.
    public let rawValue: Int
    /// Makes a set of bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }
    /// `roost_fold(text, options)`: the shared case and diacritic folding.
    public static let fold = Functions(rawValue: 1)
    /// `roost_like(text, pattern, options)` and `roost_matches(text, pattern, options)`.
    public static let patterns = Functions(rawValue: 2)
    /// `roost_apply(function, kind, value, ...)`: the shared scalar functions.
    public static let apply = Functions(rawValue: 4)
  }
}

// MARK: - Writing

extension SQLDialect {
  /// Returns a quoted identifier. It must be a generated one: letters, digits and underscores.
  package func quoted(_ identifier: String) -> String {
    "\"" + identifier + "\""
  }

  /// Returns the name of a table or an index with its namespace.
  package func qualified(_ identifier: String) -> String {
    namespace + quoted(identifier)
  }

  /// Returns the parameter with a number, from 1.
  package func parameter(_ number: Int) -> String {
    parameterPrefix + String(number)
  }
}
