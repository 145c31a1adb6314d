// SPDX-License-Identifier: Apache-2.0

import Roost

/// What a store records of its transactions.
enum KeptHistory: String, CaseIterable {
  case none, changes, values

  /// Sets what a store is to record.
  func apply(to description: inout PersistentStoreDescription) {
    guard self != .none else { return }
    description.options[StoreOption.historyTracking] = .boolean(true)
    description.options[StoreOption.historyLevel] = .string(rawValue)
  }
}
