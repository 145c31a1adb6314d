// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Keeps the keys of the rows that come first in an order of one number, up to a limit: no row is made before it is
/// known which ones are wanted.
///
/// Keys are gathered until there are twice as many as wanted, and then the later half is dropped.
struct FirstKeys: RowCollector {
  private let order: RowOrder
  private let limit: Int
  private let room: Int
  private var found: [Found] = []
  /// Rows with a larger number come after all rows that are wanted.
  private var largest = UInt64.max

  private struct Found: Comparable {
    var number: UInt64
    var tie: UInt8
    var key: Int64

    static func < (left: Found, right: Found) -> Bool {
      if left.number != right.number { return left.number < right.number }
      return left.tie == right.tie ? left.key < right.key : left.tie < right.tie
    }
  }

  /// With a larger limit rows are kept as they come.
  private static let largestLimit = 10_000

  /// Makes a collector; nil when a number does not say everything of the order, or when very many rows are wanted.
  init?(order: RowOrder, limit: Int?) {
    guard order.isOfOneNumber, let limit, (1...FirstKeys.largestLimit).contains(limit) else {
      return nil
    }
    self.order = order
    self.limit = limit
    room = max(64, limit * 2)
    found.reserveCapacity(room)
  }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    guard let base = chunk.base(index) else { return true }
    let key = chunk.key(index)
    let number = order.head(base, key: key)
    guard number <= largest else { return true }
    found.append(Found(number: number, tie: order.tie(base), key: key))
    if found.count == room {
      found.sort()
      found.removeLast(room - limit)
      largest = found.last?.number ?? largest
    }
    return true
  }

  /// The keys in order.
  func keys() -> [Int64] {
    found.sorted().prefix(limit).map(\.key)
  }
}
