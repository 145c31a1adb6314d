// SPDX-License-Identifier: Apache-2.0

import Roost

/// The kind of history that a store keeps.
enum KeptHistory: String, CaseIterable {
  case none, changes, values

  /// Sets the history options of a store's description.
  func apply(to description: inout PersistentStoreDescription) {
    guard self != .none else { return }
    description.options[StoreOption.historyTracking] = .boolean(true)
    description.options[StoreOption.historyLevel] = .string(rawValue)
  }
}
