// SPDX-License-Identifier: Apache-2.0

/// One step of a sort order: a key path, a direction, and how strings are compared.
///
/// nil comes first when ascending and last when descending; the object ID breaks the last tie, in every store.
///
/// ```swift
/// request.sortDescriptors = [SortOrdering("name"), SortOrdering("age", ascending: false)]
/// ```
public struct SortOrdering: Sendable, Hashable {
  /// The key path, as `department.name`.
  public var key: String {
    didSet { refusal = nil }
  }
  /// Whether small values come first.
  public var ascending: Bool
  /// How strings are compared.
  public var comparator: Comparator
  /// The search whose score is compared in the place of the text itself; nil for an order of values.
  public var search: SearchQuery?
  /// The key path that the step was made of, where it names no stored property: a request with the step is refused.
  public internal(set) var refusal: RefusedKeyPath?

  /// Makes a step of a sort order.
  public init(_ key: String, ascending: Bool = true, comparator: Comparator = .binary) {
    self.key = key
    self.ascending = ascending
    self.comparator = comparator
  }

  /// Makes a step that orders by how well texts answer a search, the best first. A text that does not answer it has the
  /// score 0, as nil has; what is equal in score stays to the steps that follow.
  ///
  /// ```swift
  /// request.sortDescriptors = [.relevance("title", to: "wild goo*"), SortOrdering("title")]
  /// ```
  /// - Parameters:
  ///   - key: The key path of a text; a request with another one throws `invalidRequest`.
  ///   - search: What is searched for, as ``SearchQuery`` reads it.
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
    /// By UTF-8 bytes: what every store can do with an index.
    case binary
    /// After case folding, then by bytes.
    case caseInsensitive
    /// As a person of the current locale expects; in memory only.
    case localized
    /// As a file browser orders names, numbers by value; in memory only.
    case localizedStandard
  }
}
