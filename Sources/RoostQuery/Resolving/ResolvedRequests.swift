// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// A cache of the shapes of resolved requests, so that names are looked up in the model once per request structure,
/// and not for each execution.
///
/// It belongs to one model. Its size is bounded: unused structures are evicted.
package final class ResolvedRequests: Sendable {
  final class Entry: Sendable {
    let criteria: FetchCriteria
    let shape: FetchShape

    init(criteria: FetchCriteria, shape: FetchShape) {
      self.criteria = criteria
      self.shape = shape
    }
  }

  private let entries: Mutex<BoundedCache<Int, Entry>>

  /// - Parameter capacity: The capacity of the cache; it keeps at most twice as many structures.
  package init(capacity: Int = 512) {
    entries = Mutex(BoundedCache(capacity: capacity))
  }

  /// The number of cached structures.
  package var count: Int { entries.withLock { $0.count } }

  /// Returns a request with the shape of an earlier one of the same structure; nil when there was none.
  package func fetch<Result>(for request: FetchRequest<Result>) -> ResolvedFetch? {
    request.read { fetch(for: $0) }
  }

  /// Returns a request with the shape of an earlier one of the same structure; nil when there was none.
  func fetch(for criteria: borrowing FetchCriteria) -> ResolvedFetch? {
    guard let reading = RequestReading(criteria) else { return nil }
    return fetch(for: criteria, reading, entries.withLock { $0[reading.hash] })
  }

  private func fetch(
    for criteria: borrowing FetchCriteria, _ reading: RequestReading, _ known: Entry?
  ) -> ResolvedFetch? {
    guard let known, criteria.hasStructure(of: known) else { return nil }
    return known.shape.fetch(with: reading.values, criteria)
  }

  /// Resolves a request, with the shape of an earlier one of the same structure where there is one.
  func resolve(_ criteria: FetchCriteria, by resolver: RequestResolver) throws -> ResolvedFetch {
    var criteria = criteria
    guard let reading = RequestReading(criteria) else { return try resolver.resolveAnew(criteria) }
    let known = entries.withLock { $0[reading.hash] }
    if let fetch = fetch(for: criteria, reading, known) { return fetch }
    var fetch = try resolver.resolveAnew(criteria)
    // A value that cannot be converted exactly gives another condition: the structure keeps its shape.
    if let known, criteria.hasStructure(of: known) { return fetch }
    if let shape = FetchShape(of: fetch, values: reading.values) {
      // The cache keeps placeholder values instead of the program's.
      criteria.predicate = criteria.predicate?.withoutValues
      let entry = Entry(criteria: criteria, shape: shape)
      entries.withLock { $0[reading.hash] = entry }
      fetch.take(shape, fetch.predicate?.argumentPlaces?.map(\.value) ?? [])
    }
    return fetch
  }
}
