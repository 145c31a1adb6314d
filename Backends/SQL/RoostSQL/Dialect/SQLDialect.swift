// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How one database writes what all SQL databases can do, and which of Roost's functions it knows.
///
/// Generators ask the dialect for an ability, never for a name. The dialects stand side by side in
/// `SQLDialect+Known.swift`.
package struct SQLDialect: Sendable {
  /// What stands before the number of a parameter: `?` or `$`. No default is provided.
  package var parameterPrefix: String
  /// The declared type of a column that holds values of a kind. No default is provided.
  package var columnType: @Sendable (SlotKind) -> String
  /// The declaration of a record's key after its name. No default is provided.
  package var keyType: String
  /// What stands after the columns of a record table. Defaults to nothing.
  package var tableOptions = ""
  /// What stands after the columns of a link table. Defaults to nothing.
  package var linkTableOptions = ""
  /// What stands before the names of tables and indexes: the quoted namespace that they are in, and a dot. Defaults to
  /// nothing, which leaves it to the database where it looks for a name.
  package var namespace = ""
  /// The names of the database's own functions.
  package var functionNames = FunctionNames()
  /// The longest identifier in bytes. Defaults to 63.
  package var identifierLimit = 63
  /// The operator that is true for two nulls and false for one: a comparison that has only two results. Defaults to
  /// the standard's.
  package var same = "IS NOT DISTINCT FROM"
  /// The opposite of ``same``. Defaults to the standard's.
  package var different = "IS DISTINCT FROM"
  /// What stands after an ascending term of an order, so that nulls come first. Defaults to the standard's.
  package var nullsFirst = " NULLS FIRST"
  /// What stands after a descending term of an order, so that nulls come last. Defaults to the standard's.
  package var nullsLast = " NULLS LAST"
  /// How a truth value is written. Defaults to the standard's.
  package var truth: @Sendable (Bool) -> String = { $0 ? "TRUE" : "FALSE" }
  /// What stands after LIMIT when only an offset is wanted. Defaults to `ALL`.
  package var noLimit = "ALL"
  /// Whether integers and doubles are compared by their exact values, not after rounding. Defaults to `false`.
  package var comparesNumbersExactly = false
  /// Whether truth values have a type of their own; otherwise they are the integers 0 and 1. Defaults to `false`.
  package var hasBooleans = false
  /// How values of many rows are summed up. Defaults to what leaves everything but the sums of small integers and of
  /// doubles to memory.
  package var aggregates = Aggregates()
  /// How the values of one list parameter are read. No default is provided.
  package var list: ListSyntax
  /// How a text is searched. No default is provided.
  package var text: TextSyntax
  /// Roost's own functions that the driver has registered. Defaults to none.
  package var functions: Functions = []
  /// What stands before a term that is grouped by, so that no index is used for its order.
  package var groupingPrefix = ""
  /// Whether the database makes groups by sorting, unless an index has them in order: then the driver groups by
  /// numbers itself, which is faster. Defaults to `false`.
  package var sortsToGroup = false
  /// The deepest tree of conditions that is translated. Defaults to 200.
  package var depthLimit = 200
  /// The most parameters of one statement. Defaults to 32,766.
  package var parameterLimit = 32_766

  package init(
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
  package struct Aggregates: Sendable {
    package typealias Syntax = @Sendable (String) -> String

    /// The sum of integers of 32 bits, which cannot overflow.
    package var sumOfSmallIntegers: Syntax? = { "coalesce(sum(\($0)), 0)" }
    /// The sum of any integers, exact, with an error when it is out of range.
    package var sumOfIntegers: Syntax?
    /// The average of integers: their exact sum, rounded once, divided by their number.
    package var averageOfIntegers: Syntax?
    /// The sum of doubles.
    package var sumOfDoubles: Syntax? = { "coalesce(sum(\($0)), 0)" }
    /// The average of doubles.
    package var averageOfDoubles: Syntax? = { "avg(\($0))" }
    /// The sum of decimals, with an error when it is out of range.
    package var sumOfDecimals: Syntax?
    /// The average of decimals, as a double.
    package var averageOfDecimals: Syntax?
    /// The kinds of values that have no smallest and largest one in the database. Defaults to none.
    package var withoutExtremes: Set<SlotKind> = []
  }

  /// The names of functions that every database has, as they stand in a statement.
  package struct FunctionNames: Sendable {
    package var count = "count"
    package var minimum = "min"
    package var maximum = "max"
    package var substring = "substr"
    package var byteLength = "length"
  }

  /// How the values of one list parameter are read.
  package enum ListSyntax: Sendable {
    /// `(SELECT value FROM json_each(?))`, after `IN`.
    case jsonArray
    /// `ANY(?)`, after `=`.
    case array
  }

  /// How a text is searched.
  package struct TextSyntax: Sendable {
    /// The function that finds the second text in the first, counted from 1.
    package var position: String
    /// The function that counts the characters of a text.
    package var length: String

    package init(position: String, length: String) {
      self.position = position
      self.length = length
    }
  }

  /// Functions of Roost that a driver registers with its database.
  package struct Functions: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) {
      self.rawValue = rawValue
    }
    /// `roost_fold(text, options)`: the shared case and diacritic folding.
    package static let fold = Functions(rawValue: 1)
    /// `roost_like(text, pattern, options)` and `roost_matches(text, pattern, options)`.
    package static let patterns = Functions(rawValue: 2)
    /// `roost_apply(function, kind, value, ...)`: the shared functions of one row's values.
    package static let apply = Functions(rawValue: 4)
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
