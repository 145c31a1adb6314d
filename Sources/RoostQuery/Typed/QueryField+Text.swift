// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An attribute type with text, optional or not.
///
/// ```swift
/// Person.where { $0.name.hasPrefix("a", .caseInsensitive) }
/// ```
public protocol QueryText: AttributeValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension QueryField where Value: QueryText {
  /// Whether the text is equal to another one under the options.
  public func equals(_ text: String, _ options: ComparisonPredicate.Options) -> FetchPredicate {
    compared(.equalTo, Self.constant(text), options)
  }

  /// Whether the text begins with another; every text begins with the empty one.
  public func hasPrefix(
    _ prefix: String, _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    compared(.beginsWith, Self.constant(prefix), options)
  }

  /// Whether the text ends with another.
  public func hasSuffix(
    _ suffix: String, _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    compared(.endsWith, Self.constant(suffix), options)
  }

  /// Whether the text contains another.
  public func contains(
    _ text: String, _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    compared(.contains, Self.constant(text), options)
  }

  /// Whether the whole text matches a LIKE pattern: `*` matches any characters, `?` one, `\` escapes the next.
  public func like(
    _ pattern: String, _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    compared(.like, Self.constant(pattern), options)
  }

  /// Whether the whole text matches a regular expression.
  public func matches(
    _ pattern: String, _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    compared(.matches, Self.constant(pattern), options)
  }

  /// Whether the text matches a search in the syntax of ``SearchQuery``: `word`, `prefix*`, `"a phrase"`.
  ///
  /// ```swift
  /// Note.where { $0.title.matches(search: "wild goo*") }
  /// ```
  public func matches(search: String) -> FetchPredicate {
    compared(.search, Self.constant(search))
  }

  /// Whether the text is empty; nil is not.
  public var isEmpty: FetchPredicate { compared(.equalTo, .constant(.string(""))) }

  /// The number of the text's Unicode scalars.
  public var length: QueryField<Int?> { QueryField<Int?>(.function(.length, [expression])) }

  /// The text in upper case.
  public func uppercased() -> QueryField { QueryField(.function(.uppercase, [expression])) }

  /// The text in lower case.
  public func lowercased() -> QueryField { QueryField(.function(.lowercase, [expression])) }
}
