// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// How one database writes what all SQL databases can do, and which of Roost's functions it knows.
///
/// Generators ask the dialect for an ability, never for a name. The dialects stand side by side in
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
  /// What stands before the number of a parameter: `?` or `$`. No default is provided.
  public var parameterPrefix: String
  /// The declared type of a column that holds values of a kind. No default is provided.
  public var columnType: @Sendable (SlotKind) -> String
  /// The declaration of a record's key after its name. No default is provided.
  public var keyType: String
  /// What stands after the columns of a record table. Defaults to nothing.
  public var tableOptions = ""
  /// What stands after the columns of a link table. Defaults to nothing.
  public var linkTableOptions = ""
  /// What stands before the names of tables and indexes: the quoted namespace that they are in, and a dot. Defaults to
  /// nothing, which leaves it to the database where it looks for a name.
  public var namespace = ""
  /// The names of the database's own functions.
  public var functionNames = FunctionNames()
  /// The longest identifier in bytes. Defaults to 63.
  public var identifierLimit = 63
  /// The operator that is true for two nulls and false for one: a comparison that has only two results. Defaults to
  /// the standard's.
  public var same = "IS NOT DISTINCT FROM"
  /// The opposite of ``same``. Defaults to the standard's.
  public var different = "IS DISTINCT FROM"
  /// What stands after an ascending term of an order, so that nulls come first. Defaults to the standard's.
  public var nullsFirst = " NULLS FIRST"
  /// What stands after a descending term of an order, so that nulls come last. Defaults to the standard's.
  public var nullsLast = " NULLS LAST"
  /// How a truth value is written. Defaults to the standard's.
  public var truth: @Sendable (Bool) -> String = { $0 ? "TRUE" : "FALSE" }
  /// What stands after LIMIT when only an offset is wanted. Defaults to `ALL`.
  public var noLimit = "ALL"
  /// Whether integers and doubles are compared by their exact values, not after rounding. Defaults to `false`.
  public var comparesNumbersExactly = false
  /// Whether truth values have a type of their own; otherwise they are the integers 0 and 1. Defaults to `false`.
  public var hasBooleans = false
  /// How values of many rows are summed up. Defaults to what leaves everything but the sums of small integers and of
  /// doubles to memory.
  public var aggregates = Aggregates()
  /// How the values of one list parameter are read. No default is provided.
  public var list: ListSyntax
  /// How a text is searched. No default is provided.
  public var text: TextSyntax
  /// Roost's own functions that the driver has registered. Defaults to none.
  public var functions: Functions = []
  /// What stands before a term that is grouped by, so that no index is used for its order.
  package var groupingPrefix = ""
  /// Whether the database makes groups by sorting, unless an index has them in order: then the driver groups by
  /// numbers itself, which is faster. Defaults to `false`.
  package var sortsToGroup = false
  /// Whether a column that was added with a default can lose it again and old records keep the value. Defaults to
  /// `false`.
  package var dropsDefaults = false
  /// The deepest tree of conditions that is translated. Defaults to 200.
  public var depthLimit = 200
  /// The most parameters of one statement. Defaults to 32,766.
  public var parameterLimit = 32_766

  /// Makes a dialect of what no two databases have in common; all else has a default.
  ///
  /// - Parameters:
  ///   - parameterPrefix: What stands before the number of a parameter.
  ///   - columnType: The declared type of a column that holds values of a kind.
  ///   - keyType: The declaration of a record's key after its name.
  ///   - list: How the values of one list parameter are read.
  ///   - text: How a text is searched.
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

  /// How the values of many rows become one. Each member takes the expression of the value; nil leaves the aggregate to
  /// memory. Sums of nothing are 0, averages of nothing null; what is no number is null.
  ///
  /// ```swift
  /// dialect.aggregates.averageOfDoubles = { "mean(\($0))" }
  /// ```
  public struct Aggregates: Sendable {
    /// Writes an aggregate of an expression.
    public typealias Syntax = @Sendable (String) -> String

    /// The sum of integers of 32 bits, which cannot overflow.
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
    /// The kinds of values that have no smallest and largest one in the database. Defaults to none.
    public var withoutExtremes: Set<SlotKind> = []
  }

  /// The names of functions that every database has, as they stand in a statement.
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
    /// The number of a row in its window.
    package var rowNumber = "row_number"
    /// A part of a text.
    public var substring = "substr"
    /// The number of bytes.
    public var byteLength = "length"
  }

  /// How the values of one list parameter are read.
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

  /// How a text is searched.
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

  /// Functions of Roost that a driver registers with its database.
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
    /// `roost_apply(function, kind, value, ...)`: the shared functions of one row's values.
    public static let apply = Functions(rawValue: 4)
  }
}

// MARK: - Writing

extension SQLDialect {
  /// A name as it stands in a statement. Only generated names come here: letters, digits and underscores.
  package func quoted(_ identifier: String) -> String {
    "\"" + identifier + "\""
  }

  /// The name of a table or an index with the namespace that it is in.
  package func qualified(_ identifier: String) -> String {
    namespace + quoted(identifier)
  }

  /// A parameter by its number, from 1.
  package func parameter(_ number: Int) -> String {
    parameterPrefix + String(number)
  }
}
