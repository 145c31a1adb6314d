// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The sequence numbers that a store has reserved for this process and that no record has yet.
///
/// Numbers are reserved in blocks that grow with the demand, so that neither one large save nor many small ones ask
/// the store for each record. Numbers left over when the process ends are lost; no number is given twice.
final class KeyReservoir: Sendable {
  private struct State {
    /// The unused numbers, in ascending order.
    var left: [ClosedRange<Int64>] = []
    var blockSize = 16

    /// Takes up to `count` of the unused numbers.
    mutating func take(_ count: Int) -> [ClosedRange<Int64>] {
      var taken: [ClosedRange<Int64>] = []
      var missing = count
      while missing > 0, let first = left.first {
        if first.count <= missing {
          taken.append(left.removeFirst())
          missing -= first.count
        } else {
          let end = first.lowerBound + Int64(missing) - 1
          taken.append(first.lowerBound...end)
          left[0] = (end + 1)...first.upperBound
          missing = 0
        }
      }
      return taken
    }

    /// Takes `count` of the unused numbers if they are next to each other.
    mutating func takeNeighbours(_ count: Int) -> ClosedRange<Int64>? {
      guard let first = left.first, first.count > count else { return nil }
      let end = first.lowerBound + Int64(count) - 1
      left[0] = (end + 1)...first.upperBound
      return first.lowerBound...end
    }

    mutating func put(_ range: ClosedRange<Int64>) {
      let place = left.firstIndex { $0.lowerBound > range.lowerBound } ?? left.endIndex
      left.insert(range, at: place)
    }
  }

  private static let largestBlock = 4096
  private static let failedWrite =
    "The store could not give keys for new objects; nothing was saved, and it can be tried again."
  private let state = SharedState(State())

  /// Takes numbers that are next to each other; nil if the first block of unused ones has too few. For most saves it
  /// has enough, and a range needs no list.
  ///
  /// - Parameter count: The number of numbers, at least one.
  func takeNeighbours(_ count: Int) -> ClosedRange<Int64>? {
    state.withLock { $0.takeNeighbours(count) }
  }

  /// Takes numbers, in ascending order.
  ///
  /// - Parameters:
  ///   - count: The number of numbers, at least one.
  ///   - reserve: Reserves that many new numbers in the store. It is called at most once, and without a lock: two
  ///     threads that both run short reserve a block each, and no number is lost.
  func take(
    _ count: Int, reserve: (Int) throws -> ClosedRange<Int64>
  ) throws -> [ClosedRange<Int64>] {
    var (ranges, blockSize) = state.withLock { ($0.take(count), $0.blockSize) }
    let missing = count - ranges.reduce(0) { $0 + $1.count }
    guard missing > 0 else { return ranges }
    do {
      let block = try withoutOutcome(.persistentStoreOperation, Self.failedWrite) {
        try reserve(max(missing, blockSize))
      }
      let end = block.lowerBound + Int64(missing) - 1
      ranges.append(block.lowerBound...end)
      state.withLock { state in
        state.blockSize = min(Self.largestBlock, max(state.blockSize, blockSize * 2))
        if end < block.upperBound { state.put((end + 1)...block.upperBound) }
      }
      return ranges
    } catch {
      state.withLock { state in
        for range in ranges { state.put(range) }
      }
      throw error
    }
  }
}
