// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Upstream {
  /// Lets the parent get permanent IDs for those of its new objects that this context asks for.
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
