// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Upstream {
  /// Makes the parent obtain permanent IDs for its new objects among those of this context.
  func obtainPermanentIDsAbove(for objects: [ManagedObject]) throws {
    guard let parentContext = context.parentContext else { return }
    let ids = objects.filter {
      $0.context === context && !$0.isInserted && $0.identity.isTemporaryID
    }
    .map(\.identity)
    guard !ids.isEmpty else { return }
    try parentContext.onQueue {
      try parentContext.obtainPermanentIDs(for: ids.map { parentContext.object(with: $0) })
    }
    learnPermanentIDs()
  }
}
