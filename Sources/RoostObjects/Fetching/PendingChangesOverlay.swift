// SPDX-License-Identifier: Apache-2.0

import RoostQuery

/// Overlays unsaved changes on a store's result, with the same evaluator and the same sort order (B121, B124).
struct PendingChangesOverlay {
  let context: ManagedObjectContext
  let fetch: ResolvedFetch
  /// The changed objects of the request's entities.
  let changed: ContiguousArray<ManagedObject>
  /// Whether any object of the entity may match or cease to match because a related object changed.
  let needsAll: Bool
  /// Queries the stores.
  let ask: (ResolvedFetch) throws -> [ManagedObject]

  /// Returns the matching objects, in order, with offset and limit applied.
  func objects() throws -> [ManagedObject] {
    var request = fetch
    request.result = .rows
    let surplus = changed.count { !$0.flags.contains(.inserted) }
    request.offset = 0
    request.limit = fetch.limit.map { limit in
      [fetch.offset, surplus].reduce(limit) { sum, next in
        let (result, isTooMuch) = sum.addingReportingOverflow(next)
        return isTooMuch ? .max : result
      }
    }
    if needsAll {
      request.predicate = nil
      request.sort = []
      request.limit = nil
    }
    let stored = try ask(request).filter { $0.flags.isDisjoint(with: .changed) }
    let source = GraphSource(context: context)
    let evaluator = try fetch.predicate.map { try PredicateEvaluator($0, source: source) }
    let candidates = needsAll ? stored + pending() : pending()
    let matching = try candidates.filter { try evaluator?.matches($0) ?? true }
    let sorter = try SortEvaluator(fetch.sort, source: source)
    let sorted = try sorter.sorted(matching)
    let all = needsAll ? sorted : try merge(stored, sorted, by: sorter)
    return Array(all.dropFirst(fetch.offset).prefix(fetch.limit ?? .max))
  }

  private func pending() -> [ManagedObject] {
    changed.filter { !$0.flags.contains(.deleted) }
  }

  /// Merges two sorted lists.
  private func merge(
    _ stored: [ManagedObject], _ pending: [ManagedObject], by sorter: SortEvaluator<GraphSource>
  ) throws -> [ManagedObject] {
    guard !pending.isEmpty else { return stored }
    var result: [ManagedObject] = []
    result.reserveCapacity(stored.count + pending.count)
    var next = 0
    for object in stored {
      while next < pending.count, try sorter.isOrderedBefore(pending[next], object) {
        result.append(pending[next])
        next += 1
      }
      result.append(object)
    }
    result.append(contentsOf: pending[next...])
    return result
  }
}
