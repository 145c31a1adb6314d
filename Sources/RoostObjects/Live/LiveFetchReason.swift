// SPDX-License-Identifier: Apache-2.0

import RoostQuery

/// Why the results of a live query are fetched anew for each change that concerns them, where changed records could not
/// be judged one by one.
package enum LiveFetchReason: Sendable, CaseIterable {
  /// Each state is to be read by one request.
  case snapshot
  /// There are more records before the results than are kept.
  case farOffset
  /// Unsaved changes do not count, and nobody knows here what the stores have.
  case storedState
  /// Only some stores are asked, and a changed record does not say that it is of one of them.
  case namedStores

  /// The reasons that there are for a request.
  ///
  /// - Parameter isAlwaysFetched: Whether each state is to be read by one request.
  static func all(for criteria: FetchCriteria, _ isAlwaysFetched: Bool) -> [LiveFetchReason] {
    allCases.filter { reason in
      switch reason {
      case .snapshot: isAlwaysFetched
      case .farOffset: criteria.fetchOffset > LiveList.greatestOffset
      case .storedState: !criteria.includesPendingChanges
      case .namedStores: criteria.affectedStoreIdentifiers != nil
      }
    }
  }
}
