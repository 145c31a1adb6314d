// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

/// The snapshot that a context reads.
enum ReadSnapshot {
  /// The newest state.
  case newest
  /// A snapshot to be taken at the next read.
  case next
  /// A snapshot.
  case pinned(QueryGenerationToken)
  /// A fixed point in the stores' histories.
  case past(StoreGeneration)
}
