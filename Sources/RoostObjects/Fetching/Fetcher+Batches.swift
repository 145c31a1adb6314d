// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

extension Fetcher {
  func fetchPackedIDs<T>(_ request: FetchRequest<T>) throws -> PackedIDs {
    context.processPendingChanges()
    var resolved = try resolve(request)
    if request.includesPendingChanges, let overlay = try overlay(for: resolved, request) {
      return PackedIDs(try overlay.objects().map(\.identity))
    }
    resolved.askForKeys()
    context.statistics.roundTrips += 1
    let source = try context.upstream.source()
    context.loading.commitCountOfFetch = source.commitCount
    let ids = try context.asCaller {
      try source.packedIDs(coordinatorFetch(resolved, for: request), for: request)
    }
    context.upstream.learnPermanentIDs()
    return ids
  }

  /// Returns faults in batches: reading a value of one object reads the rows of its batch (B126).
  func makeFaults(
    _ ids: [ObjectID], batchSize: Int, prefetching keyPaths: [String] = []
  ) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(ids.count)
    context.registry.reserve(ids.count)
    for start in stride(from: 0, to: ids.count, by: batchSize) {
      let batch = Array(ids[start..<min(start + batchSize, ids.count)])
      let group = FetchGroup(ids: batch, commitCount: -1)
      group.isBatch = true
      group.prefetchedKeyPaths = keyPaths
      for id in batch {
        let object = context.object(with: id)
        if object.isFault, object.row == nil { object.fetchGroup = group }
        result.append(object)
      }
    }
    return result
  }
}
