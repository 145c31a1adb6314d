// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostStore
import Synchronization

/// The state of a store between its preparation and its closing.
final class ReferenceSession: Sendable {
  private let current = Mutex<StoreSchema?>(nil)

  func begin(_ schema: StoreSchema) {
    current.withLock { $0 = schema }
  }

  func end() {
    current.withLock { $0 = nil }
  }

  /// Whether the session has begun and not ended.
  var isOpen: Bool { current.withLock { $0 != nil } }

  /// The schema; throws when the store is closed.
  func schema() throws -> StoreSchema {
    guard let schema = current.withLock({ $0 }) else {
      throw PersistenceError(.storeRemoved, "The store is closed.")
    }
    return schema
  }
}
