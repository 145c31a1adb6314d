// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// The records of a store that other coordinators have written.
enum ExternalChanges {
  case none
  /// These records.
  case records([Int64])
  case unknown

  /// Extracts the records from transactions of other writers.
  init(_ transactions: [StoreTransaction], than own: UInt64) {
    let others = transactions.filter { $0.content.writer != own }
    if others.isEmpty {
      self = .none
    } else if let keys = try? others.flatMap({ try $0.content.changes().map(\.key) }) {
      self = .records(keys)
    } else {
      self = .unknown
    }
  }
}
