// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Keeps the keys of the rows that come first in an order of one number, up to a limit: no row is made before it is
/// known which ones are wanted.
///
/// The keys stand in a heap whose top is the last of those that are wanted so far, and most rows are turned away by
/// comparing their number with its.
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

  /// Makes a collector; nil when a number does not say everything of the order, or when very many rows are wanted.
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

  /// Puts an element at a place, or farther down, so that none above it precedes one below it.
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
