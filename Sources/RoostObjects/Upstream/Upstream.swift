// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension Upstream {
  /// Where this context reads.
  ///
  /// - Throws: `contextWithoutCoordinator`, or what a store throws that cannot show a snapshot.
  func source() throws -> ObjectSource {
    if let parentContext = context.parentContext { return .parent(parentContext) }
    return .coordinator(try context.coordinator(), try currentGeneration())
  }

  /// Returns the row of one record as it is stored now; nil when it is gone. Objects are looked up one at a time, so
  /// it does without a source.
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

  /// The row of a record that can be had without asking a store.
  func cachedRow(for id: ObjectID) -> Row? {
    guard context.parentContext != nil || isPinned else {
      return context.persistentStoreCoordinator?.cachedRow(for: id)
    }
    return try? source().cachedRow(for: id)
  }
}
