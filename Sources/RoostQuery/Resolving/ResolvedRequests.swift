// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// The shapes of the requests that were resolved, so that names are looked up in the model once for each structure of a
/// request and not each time that it is executed.
///
/// It belongs to one model. Its size is bounded: structures that are not used any more make room.
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

  /// - Parameter capacity: How many structures are kept.
  package init(capacity: Int = 512) {
    entries = Mutex(BoundedCache(capacity: capacity))
  }

  /// How many structures are kept.
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
    // A value that could not be converted exactly has another condition: the structure keeps its shape.
    if let known, criteria.hasStructure(of: known) { return fetch }
    if let shape = FetchShape(of: fetch, values: reading.values) {
      // The values are the program's: what is kept has others.
      criteria.predicate = criteria.predicate?.withoutValues
      let entry = Entry(criteria: criteria, shape: shape)
      entries.withLock { $0[reading.hash] = entry }
      fetch.take(shape, fetch.predicate?.argumentPlaces?.map(\.value) ?? [])
    }
    return fetch
  }
}
