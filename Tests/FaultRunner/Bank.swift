// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

// The model for saves while calls fail: accounts whose totals are computed from their entries, so that an unnoticed
// failed read leads to a wrong total in the store.

@Entity final class Journal: ManagedObject {
  @Attribute(.unique) var name: String
  var last: Int64 = 0
}

@Entity final class Account: ManagedObject {
  @Attribute(.unique) var number: Int64 = 0
  var total: Int64 = 0
  @Relationship(deleteRule: .cascade, inverse: \.account) var entries: [Entry]
}

@Entity final class Entry: ManagedObject {
  @Attribute(.unique) var code: String
  @Attribute(.indexed) var amount: Int64 = 0
  var note: Data = Data()
  @Relationship(inverse: \Account.entries) var account: Account?
  @Relationship(inverse: \.entries) var labels: Set<Label>
}

@Entity final class Label: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \.labels) var entries: Set<Entry>
}

/// The expected state of the bank after a number of steps: the same for the writer and for the check.
struct BankState: Equatable {
  struct Item: Equatable {
    var account: Int64
    var amount: Int64
    var noteSize: Int
    var label: String
  }

  enum Change {
    case add(String, Item)
    case remove(String)
    case set(String, Item)
  }

  private(set) var last: Int64 = 0
  private(set) var items: [String: Item] = [:]

  static let labels = ["paid", "open"]
  static let accountCount: Int64 = 3

  /// The state after a number of steps.
  init(after steps: Int64) {
    while last < steps { _ = advance() }
  }

  /// Advances by one step, and returns its changes.
  mutating func advance() -> [Change] {
    last += 1
    var random = SplitMix64(seed: UInt64(last))
    var changes: [Change] = []
    let old = items.keys.sorted()
    if !old.isEmpty {
      let code = old[Int.random(in: 0..<old.count, using: &random)]
      if last % 3 == 0 {
        changes.append(.remove(code))
      } else if var item = items[code] {
        item.account = last % Self.accountCount
        item.amount += 1
        item.noteSize = last % 4 == 0 ? 9_000 : 40
        changes.append(.set(code, item))
      }
    }
    for index in 0..<Int.random(in: 1...3, using: &random) {
      changes.append(
        .add(
          "\(last)-\(index)",
          Item(
            account: (last + Int64(index)) % Self.accountCount,
            amount: .random(in: 1...1_000, using: &random),
            noteSize: last % 5 == 0 ? 20_000 : 100,
            label: Self.labels[Int(last) % Self.labels.count])))
    }
    for change in changes {
      switch change {
      case .add(let code, let item), .set(let code, let item): items[code] = item
      case .remove(let code): items[code] = nil
      }
    }
    return changes
  }

  func total(of account: Int64) -> Int64 {
    items.values.lazy.filter { $0.account == account }.map(\.amount).reduce(0, +)
  }
}
