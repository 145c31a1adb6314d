// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A type of an attribute that holds text, optional or not.
///
/// ```swift
/// Person.where { $0.name.hasPrefix("a", .caseInsensitive) }
/// ```
public protocol QueryText: AttributeValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension QueryField where Value: QueryText {
  /// Whether the text is equal to another when something is ignored.
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

  /// Whether the whole text is like a pattern: `*` stands for any characters, `?` for one, `\` for the next one itself.
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

  /// Whether the text has all words of a search, as ``SearchQuery`` reads it: `word`, `beginning*`, `"a phrase"`.
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

  /// The text in capitals.
  public func uppercased() -> QueryField { QueryField(.function(.uppercase, [expression])) }

  /// The text in small letters.
  public func lowercased() -> QueryField { QueryField(.function(.lowercase, [expression])) }
}
