// SPDX-License-Identifier: Apache-2.0

/// How the results of a request are to come: read as one, because each look at a request takes its lock.
package struct FetchDelivery: Sendable {
  package let includesPendingChanges: Bool
  package let includesPropertyValues: Bool
  package let returnsObjectsAsFaults: Bool
  package let shouldRefreshRefetchedObjects: Bool
  /// How many rows are to be read at a time; 0 for all at once.
  package let batchSize: Int
  /// Whether only some properties are wanted.
  package let namesProperties: Bool
  package let prefetchedKeyPaths: [String]
  /// The stores that are searched; nil for all.
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
  /// How the results are to come.
  package var delivery: FetchDelivery { read { FetchDelivery($0) } }
}
