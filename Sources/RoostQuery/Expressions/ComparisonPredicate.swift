// SPDX-License-Identifier: Apache-2.0

/// A comparison of two expressions.
///
/// ```swift
/// let comparison = ComparisonPredicate(
///   .keyPath(["name"]), .beginsWith, .constant(.string("a")), options: .caseInsensitive)
/// request.predicate = .comparison(comparison)
/// ```
public struct ComparisonPredicate: Sendable, Hashable {
  /// The left side.
  public var left: FetchExpression
  /// The comparison operator.
  public var comparison: Comparison
  /// The right side.
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

  /// A comparison operator.
  ///
  /// ```swift
  /// ComparisonPredicate(.keyPath(["age"]), .greaterThan, .constant(.integer(18)))
  /// ```
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// `==`: both are the same value, or both nil.
    case equalTo = "=="
    /// `!=`: the negation of `==`, so true when only one is nil.
    case notEqualTo = "!="
    /// `<`: false when either is nil, like all following operators.
    case lessThan = "<"
    /// `<=`.
    case lessThanOrEqualTo = "<="
    /// `>`.
    case greaterThan = ">"
    /// `>=`.
    case greaterThanOrEqualTo = ">="
    /// `IN`: the left side is in the list, or a substring of the text, on the right.
    case `in` = "IN"
    /// `BETWEEN {low, high}`: within the inclusive bounds.
    case between = "BETWEEN"
    /// `CONTAINS`: the text has a substring, or the collection a member.
    case contains = "CONTAINS"
    /// `BEGINSWITH`: the text has this prefix.
    case beginsWith = "BEGINSWITH"
    /// `ENDSWITH`: the text has this suffix.
    case endsWith = "ENDSWITH"
    /// `LIKE`: the whole text matches a pattern in which `?` is one character and `*` any number of them.
    case like = "LIKE"
    /// `MATCHES`: the whole text matches a regular expression.
    case matches = "MATCHES"
    /// `SEARCH`: the text matches a full-text ``SearchQuery``.
    case search = "SEARCH"
  }

  /// How many of the values of a to-many key path must satisfy the comparison. `NONE` is `NOT ANY`.
  ///
  /// ```swift
  /// ComparisonPredicate(.keyPath(["people", "age"]), .lessThan, .constant(.integer(18)), modifier: .any)
  /// ```
  public enum Modifier: Sendable, Hashable {
    /// The key path has one value.
    case direct
    /// All values; true when there are none.
    case all
    /// At least one value.
    case any
  }

  /// How strings are compared.
  ///
  /// ```swift
  /// Person.where { $0.name.equals("zoe", [.caseInsensitive, .diacriticInsensitive]) }
  /// ```
  public struct Options: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }
    /// `[c]`: letters of different case are equal.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: letters with and without diacritics are equal.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: strings are compared byte by byte, which comparisons without options do anyway.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: strings are compared by the current locale; in memory only.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
