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

  /// Makes a step.
  public init(path: ResolvedPath, ascending: Bool, comparator: SortOrdering.Comparator) {
    self.path = path
    self.ascending = ascending
    self.comparator = comparator
  }
}
