// SPDX-License-Identifier: Apache-2.0

/// One step of a sort order: a key path, a direction, and how strings are compared.
///
/// nil comes first when ascending and last when descending; the object ID breaks the last tie, in every store.
///
/// ```swift
/// request.sortDescriptors = [SortOrdering("name"), SortOrdering("age", ascending: false)]
/// ```
public struct SortOrdering: Sendable, Hashable {
  /// The key path, such as `department.name`.
  public var key: String {
    didSet { refusal = nil }
  }
  /// Whether the order is ascending.
  public var ascending: Bool
  /// How strings are compared.
  public var comparator: Comparator
  /// The search whose score is compared instead of the text itself; nil for an order by values.
  public var search: SearchQuery?
  /// The key path of the step, if it names no stored property: a request with the step is refused.
  public internal(set) var refusal: RefusedKeyPath?

  /// Makes a step of a sort order.
  public init(_ key: String, ascending: Bool = true, comparator: Comparator = .binary) {
    self.key = key
    self.ascending = ascending
    self.comparator = comparator
  }

  /// Makes a step that orders texts by their relevance to a search, the best first. A text that does not match has
  /// the score 0, like nil; equal scores are ordered by the following steps.
  ///
  /// ```swift
  /// request.sortDescriptors = [.relevance("title", to: "wild goo*"), SortOrdering("title")]
  /// ```
  /// - Parameters:
  ///   - key: The key path of a text attribute; a request with any other key path throws `invalidRequest`.
  ///   - search: The search, in the syntax of ``SearchQuery``.
  public static func relevance(_ key: String, to search: String) -> SortOrdering {
    var step = SortOrdering(key, ascending: false)
    step.search = SearchQuery(search)
    return step
  }

  /// How strings are compared.
  ///
  /// ```swift
  /// Person.fetchRequest().sorted(by: \.name, comparator: .caseInsensitive)
  /// ```
  public enum Comparator: String, Sendable, Hashable, CaseIterable {
    /// By UTF-8 bytes, which every store supports with an index.
    case binary
    /// After case folding, then by bytes.
    case caseInsensitive
    /// By the collation of the current locale; in memory only.
    case localized
    /// Like a file browser, with numbers by value; in memory only.
    case localizedStandard
  }
}
