// SPDX-License-Identifier: Apache-2.0

/// A comparison of two expressions.
public struct ComparisonPredicate: Sendable, Hashable {
  /// What stands on the left.
  public var left: FetchExpression
  /// How the two are compared.
  public var comparison: Comparison
  /// What stands on the right.
  public var right: FetchExpression
  /// How many of the values of a to-many key path must satisfy the comparison.
  public var modifier: Modifier
  /// How strings are compared.
  public var options: Options

  /// Makes a comparison.
  public init(
    _ left: FetchExpression, _ comparison: Comparison, _ right: FetchExpression,
    modifier: Modifier = .direct, options: Options = []
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
    self.modifier = modifier
    self.options = options
  }

  /// How two values are compared.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case equalTo = "=="
    case notEqualTo = "!="
    case lessThan = "<"
    case lessThanOrEqualTo = "<="
    case greaterThan = ">"
    case greaterThanOrEqualTo = ">="
    case `in` = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
  }

  /// How many of the values of a to-many key path must satisfy the comparison. `NONE` is `NOT ANY`.
  public enum Modifier: Sendable, Hashable {
    /// The key path has one value.
    case direct
    /// All values; true when there are none.
    case all
    /// At least one value.
    case any
  }

  /// How strings are compared.
  public struct Options: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }
    /// `[c]`: letters of different case are equal.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: letters with and without marks are equal.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: strings are compared byte by byte; that is what comparisons without options do in any case.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: strings are compared as a person of the current locale expects; in memory only.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
