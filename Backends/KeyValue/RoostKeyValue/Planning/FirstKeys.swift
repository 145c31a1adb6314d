// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Collects the keys of the first rows in an order by one number, up to a limit, and creates no row until the result
/// is known.
///
/// The keys are in a bounded heap whose top is the last key that is still wanted; most rows are rejected by one
/// comparison of their number with the top's.
struct FirstKeys: RowCollector {
  private let order: RowOrder
  private let limit: Int
  private var heap: [Found] = []

  private struct Found {
    var number: UInt64
    var tie: UInt8
    var key: Int64

    @inline(__always) func precedes(_ other: Found) -> Bool {
      if number != other.number { return number < other.number }
      return tie == other.tie ? key < other.key : tie < other.tie
    }
  }

  /// With a larger limit rows are kept as they come.
  private static let largestLimit = 10_000

  /// Makes a collector; nil when one number does not determine the order, or when very many rows are needed.
  init?(order: RowOrder, limit: Int?) {
    guard order.isOfOneNumber, let limit, (1...FirstKeys.largestLimit).contains(limit) else {
      return nil
    }
    self.order = order
    self.limit = limit
    heap.reserveCapacity(limit)
  }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    guard let base = chunk.base(index) else { return true }
    let key = chunk.key(index)
    let number = order.head(base, key: key)
    if heap.count == limit {
      guard number <= heap[0].number else { return true }
      let found = Found(number: number, tie: order.tie(base), key: key)
      if found.precedes(heap[0]) { sink(found, from: 0, below: limit) }
    } else {
      heap.append(Found(number: number, tie: order.tie(base), key: key))
      if heap.count == limit { makeHeap() }
    }
    return true
  }

  /// The keys in order.
  mutating func keys() -> [Int64] {
    if heap.count < limit { makeHeap() }
    var end = heap.count
    while end > 1 {
      end -= 1
      let found = heap[end]
      heap[end] = heap[0]
      sink(found, from: 0, below: end)
    }
    return heap.map(\.key)
  }

  private mutating func makeHeap() {
    let count = heap.count
    for place in (0..<count / 2).reversed() { sink(heap[place], from: place, below: count) }
  }

  /// Moves an element down the heap, so that no element precedes one below it.
  private mutating func sink(_ found: Found, from start: Int, below end: Int) {
    heap.withUnsafeMutableBufferPointer { heap in
      var place = start
      while true {
        var child = 2 &* place &+ 1
        guard child < end else { break }
        if child &+ 1 < end, heap[child].precedes(heap[child &+ 1]) { child &+= 1 }
        guard found.precedes(heap[child]) else { break }
        heap[place] = heap[child]
        place = child
      }
      heap[place] = found
    }
  }
}
