// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization

/// The store types of this process by name. A type can also be used directly, without being registered.
enum StoreTypeRegistry {
  private static let types = Mutex<[String: PersistentStoreType]>([:])

  static var all: [String: PersistentStoreType] { types.withLock { $0 } }

  static func set(_ type: PersistentStoreType?, named name: String) {
    types.withLock { $0[name] = type }
  }

  static func type(named name: String) throws -> PersistentStoreType {
    guard let type = types.withLock({ $0[name] }) else {
      throw PersistenceError(
        .persistentStoreInvalidType, "No store type “\(name)” is registered.")
    }
    return type
  }
}
