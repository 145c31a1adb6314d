// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchPredicate {
  /// Parses a condition in Core Data's format language.
  ///
  /// Placeholders take the arguments in order: `%@` a value, an object, its ID or a collection of these; `%K` a key
  /// path; `%d`, `%i`, `%u`, `%ld`, `%lu`, `%lld`, `%f` and the like a number; `%s` a string. `%%` is the remainder
  /// of a division. A key that is a keyword is written with a leading `#`.
  ///
  /// ```swift
  /// let adults = try FetchPredicate("age >= %d AND ANY friends.name BEGINSWITH[cd] %@", 18, "a")
  /// ```
  ///
  /// - Parameters:
  ///   - format: The condition.
  ///   - arguments: One value for each placeholder. A nil argument is a nil constant.
  /// - Throws: ``PersistenceError`` with code `invalidPredicate`, whose message shows the place, or `limitExceeded`.
  /// - Complexity: O(*n*) in the length of the format and the number of arguments.
  public init(_ format: String, _ arguments: Any?...) throws {
    self = try FormatParser.predicate(format, arguments)
  }

  /// Parses a condition in Core Data's format language, with its arguments in an array.
  ///
  /// - Parameters:
  ///   - format: The condition.
  ///   - argumentArray: One value for each placeholder.
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  public init(format: String, argumentArray: [Any?]) throws {
    self = try FormatParser.predicate(format, argumentArray)
  }

  /// The condition as a format string, which parses as an equivalent condition: connectives with one operand or none,
  /// Booleans and lists of constants are normalised.
  ///
  /// Object IDs have no literal, and their form cannot be parsed. Parts that are nested too deep for a query are cut
  /// off.
  public var predicateFormat: String { FormatPrinter.format(self) }
}

extension FetchPredicate: CustomStringConvertible {
  /// The condition as a format string.
  public var description: String { predicateFormat }
}
