// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension SaveEngine {
  /// Takes over the versions of records that were only compared.
  func finishWatching(_ summary: CommitSummary) {
    guard !context.saving.watched.isEmpty else { return }
    for (id, watch) in context.saving.watched where summary.contains(watch.object.identity) {
      context.saving.watched[id] = nil
      if watch.isLocked { watch.object.restoring.countVersionUp() }
    }
  }

  /// Returns the current rows of records from the stores.
  func storedRows(for ids: [ObjectID]) throws -> [Row?] {
    context.statistics.roundTrips += 1
    return try context.asCaller {
      try context.coordinator().rows(for: ids, stalenessInterval: 0)
    }
  }
}
