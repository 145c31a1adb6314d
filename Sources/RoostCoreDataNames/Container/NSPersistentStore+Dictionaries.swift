// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostCoordinator
import RoostModel
public import RoostStore

extension PersistentStore {
  /// The backend's settings with which the store was added; nil for none.
  public var options: [AnyHashable: Any]? {
    let options = description.options
    return options.isEmpty ? nil : options.mapValues(\.option)
  }
}

extension PersistentStore {
  /// The metadata by Core Data's keys, and what the program added by its own, as of the last save.
  public var metadata: [String: Any] {
    let metadata: StoreMetadata = self.metadata
    return metadata.keyed
  }
}

extension StoreMetadata {
  /// What the metadata have under a key of Core Data's, as `NSStoreUUIDKey`, or of the program's.
  ///
  /// What is set for a key of Core Data's is ignored: these values are the store's. A value that metadata cannot keep
  /// ends the program.
  public subscript(key: String) -> Any? {
    get { keyed[key] }
    set {
      guard let newValue else {
        userValues[key] = nil
        return
      }
      orEnd { try takeUserValues(of: [key: newValue]) }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Sets what the program adds to the metadata of an attached store; it is written by the next save.
  ///
  /// ```swift
  /// var metadata = store.metadata
  /// metadata["imported"] = Date()
  /// coordinator.setMetadata(metadata, for: store)
  /// ```
  public func setMetadata(_ metadata: StoreMetadata, for store: any PersistentStore) {
    setMetadata(metadata.keyed, for: store)
  }
}

/// Whether two stores are the same object.
public func == (left: any PersistentStore, right: any PersistentStore) -> Bool { left === right }

/// Whether two stores are different objects.
public func != (left: any PersistentStore, right: any PersistentStore) -> Bool { left !== right }

/// Whether two stores are the same object, or both are absent.
public func == (left: (any PersistentStore)?, right: (any PersistentStore)?) -> Bool {
  left === right
}

/// Whether two stores are different objects, or one of them is absent.
public func != (left: (any PersistentStore)?, right: (any PersistentStore)?) -> Bool {
  left !== right
}

extension Sequence where Element == any PersistentStore {
  /// Whether a store is one of these.
  public func contains(_ store: any PersistentStore) -> Bool { contains { $0 === store } }
}

extension Collection where Element == any PersistentStore {
  /// The first place at which a store is.
  public func firstIndex(of store: any PersistentStore) -> Index? { firstIndex { $0 === store } }
}
