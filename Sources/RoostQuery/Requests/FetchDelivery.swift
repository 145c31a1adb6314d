// SPDX-License-Identifier: Apache-2.0

/// The delivery options of a request, read together, because each access to a request takes its lock.
package struct FetchDelivery: Sendable {
  package let includesPendingChanges: Bool
  package let includesPropertyValues: Bool
  package let returnsObjectsAsFaults: Bool
  package let shouldRefreshRefetchedObjects: Bool
  /// The number of rows per batch; 0 for all at once.
  package let batchSize: Int
  /// Whether the request names properties to fetch.
  package let namesProperties: Bool
  package let prefetchedKeyPaths: [String]
  /// The stores to search; nil for all.
  package let affectedStoreIdentifiers: [String]?

  init(_ criteria: borrowing FetchCriteria) {
    includesPendingChanges = criteria.includesPendingChanges
    includesPropertyValues = criteria.includesPropertyValues
    returnsObjectsAsFaults = criteria.returnsObjectsAsFaults
    shouldRefreshRefetchedObjects = criteria.shouldRefreshRefetchedObjects
    batchSize = criteria.fetchBatchSize
    namesProperties = !(criteria.propertiesToFetch ?? []).isEmpty
    prefetchedKeyPaths = criteria.relationshipKeyPathsForPrefetching ?? []
    affectedStoreIdentifiers = criteria.affectedStoreIdentifiers
  }
}

extension FetchRequest {
  /// The delivery options.
  package var delivery: FetchDelivery { read { FetchDelivery($0) } }
}
