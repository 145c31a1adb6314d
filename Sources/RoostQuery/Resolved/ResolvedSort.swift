// SPDX-License-Identifier: Apache-2.0

/// One step of a sort order whose key path was found in the model; the path has only to-one steps.
///
/// ```swift
/// let order = fetch.sort.map { ($0.path, $0.ascending ? "ASC" : "DESC") }
/// ```
public struct ResolvedSort: Sendable {
  /// What is compared.
  public var path: ResolvedPath
  /// Whether small values come first; nil is smaller than every value.
  public var ascending: Bool
  /// How strings are compared.
  public var comparator: SortOrdering.Comparator
  /// The search whose score is compared in the place of the text; a store that cannot leaves the order to be done.
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
