// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension Upstream {
  /// Returns the source of this context's reads.
  ///
  /// - Throws: `contextWithoutCoordinator`, or the error of a store that has no snapshot.
  func source() throws -> ObjectSource {
    if let parentContext = context.parentContext { return .parent(parentContext) }
    return .coordinator(try context.coordinator(), try currentGeneration())
  }

  /// Returns the stored row of one record; nil when it is gone. Objects are looked up individually, so it needs no
  /// source.
  func storedRow(for id: ObjectID) throws -> Row? {
    if let parentContext = context.parentContext {
      return try parentContext.onQueue {
        try parentContext.children.rowsForChild([id], stalenessInterval: 0)[0]
      }
    }
    return try context.asCaller {
      try context.coordinator().storedRow(for: id, in: currentGeneration())
    }
  }

  /// Returns the cached row of a record; never queries a store.
  func cachedRow(for id: ObjectID) -> Row? {
    guard context.parentContext != nil || isPinned else {
      return context.persistentStoreCoordinator?.cachedRow(for: id)
    }
    return try? source().cachedRow(for: id)
  }
}
