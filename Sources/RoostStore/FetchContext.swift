// SPDX-License-Identifier: Apache-2.0

/// The caller's side of a fetch: the rows that it has already, and how it receives the result.
///
/// A store may ignore all of it. A store that wraps another one passes the context on, unless it changes the meaning
/// of the rows or keys in the result.
///
/// ```swift
/// func fetch(_ request: ResolvedFetch, in context: FetchContext) throws -> StoreFetchResult {
///   try base.fetch(request, in: context)
/// }
/// ```
public struct FetchContext: Sendable {
  /// Rows that the caller has already, for requests of whole rows.
  public var knownRows: (any KnownRows)?
  /// Receives the keys of a fetch of keys one by one, in stores that can deliver them so; the result contains no keys
  /// then.
  public var keyCollector: KeyCollector?
  /// The names of the slots that the caller needs in rows; the others may be null. Nil for whole rows.
  package var neededSlots: Set<String>?

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - knownRows: Rows that the caller has already.
  ///   - keyCollector: Receives the keys of a fetch of keys.
  public init(knownRows: (any KnownRows)? = nil, keyCollector: KeyCollector? = nil) {
    self.knownRows = knownRows
    self.keyCollector = keyCollector
  }
}
