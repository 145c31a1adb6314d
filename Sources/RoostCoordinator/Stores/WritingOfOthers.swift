// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// What other coordinators have written to a store.
enum WritingOfOthers {
  case none
  /// These records.
  case records([Int64])
  case unknown

  /// Reads it off transactions.
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
