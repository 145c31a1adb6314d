// SPDX-License-Identifier: Apache-2.0

/// One step of a sort order with a resolved key path, which has only to-one steps.
///
/// ```swift
/// let order = fetch.sort.map { ($0.path, $0.ascending ? "ASC" : "DESC") }
/// ```
public struct ResolvedSort: Sendable {
  /// The path of the sort key.
  public var path: ResolvedPath
  /// Whether the order is ascending; nil is smaller than every value.
  public var ascending: Bool
  /// How strings are compared.
  public var comparator: SortOrdering.Comparator
  /// The search whose score is compared instead of the text; a store that cannot compute it leaves sorting to the
  /// evaluator.
  public var search: SearchQuery?

  /// Makes a step.
  public init(
    path: ResolvedPath, ascending: Bool, comparator: SortOrdering.Comparator,
    search: SearchQuery? = nil
  ) {
    self.search = search
    self.path = path
    self.ascending = ascending
    self.comparator = comparator
  }
}
