// SPDX-License-Identifier: Apache-2.0

/// What the asker of a request has, and how it takes the answer: no part of what is asked.
///
/// A store may ignore all of it. A store that stands in front of another one hands the context on, unless it changes
/// what the rows or keys of the answer mean.
///
/// ```swift
/// func fetch(_ request: ResolvedFetch, in context: FetchContext) throws -> StoreFetchResult {
///   try base.fetch(request, in: context)
/// }
/// ```
public struct FetchContext: Sendable {
  /// Rows that the asker has already, for requests of whole rows.
  public var knownRows: (any KnownRows)?
  /// Takes the keys of a request for keys, where the store can hand over one after the other; its answer has none then.
  public var keyCollector: KeyCollector?

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - knownRows: Rows that the asker has already.
  ///   - keyCollector: What takes the keys of a request for keys.
  public init(knownRows: (any KnownRows)? = nil, keyCollector: KeyCollector? = nil) {
    self.knownRows = knownRows
    self.keyCollector = keyCollector
  }
}
