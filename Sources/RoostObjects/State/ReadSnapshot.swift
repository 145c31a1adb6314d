// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

/// Which snapshot a context reads.
enum ReadSnapshot {
  /// The newest state.
  case newest
  /// The state at the next read.
  case next
  /// A snapshot.
  case pinned(QueryGenerationToken)
  /// A moment of the stores' histories, for good.
  case past(StoreGeneration)
}
