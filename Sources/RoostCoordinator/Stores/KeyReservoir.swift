// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The sequence numbers that a store has reserved for this process and that no record has yet.
///
/// Numbers come in blocks that grow with the demand, so that neither one large save nor many small ones ask the store
/// for each record. What is left over when the process ends is lost; a number is never given twice.
final class KeyReservoir: Sendable {
  private struct State {
    var next: Int64 = 1
    var last: Int64 = 0
    var blockSize = 16

    var available: Int { Int(last - next) + 1 }
  }

  private static let largestBlock = 4096
  private static let failedWrite =
    "The store could not give keys for new objects; nothing was saved, and it can be tried again."
  private let state = SharedState(State())

  /// Takes numbers, in ascending order.
  ///
  /// - Parameters:
  ///   - count: How many, at least one.
  ///   - reserve: Asks the store for a number of new ones. It is called once at the most.
  func take(
    _ count: Int, reserve: (Int) throws -> ClosedRange<Int64>
  ) throws -> [ClosedRange<Int64>] {
    // The lock is held over the request: two threads that find the reservoir empty must not reserve twice as much.
    try state.withLock { state in
      let fromRest = min(count, state.available)
      let missing = count - fromRest
      var ranges: [ClosedRange<Int64>] = []
      let rest = state.next..<(state.next + Int64(fromRest))
      guard missing > 0 else {
        state.next = rest.upperBound
        return [ClosedRange(rest)]
      }
      let block = try withoutOutcome(.persistentStoreOperation, Self.failedWrite) {
        try reserve(max(missing, state.blockSize))
      }
      state.blockSize = min(Self.largestBlock, state.blockSize * 2)
      if fromRest > 0 { ranges.append(ClosedRange(rest)) }
      let end = block.lowerBound + Int64(missing) - 1
      ranges.append(block.lowerBound...end)
      state.next = end + 1
      state.last = block.upperBound
      return ranges
    }
  }
}
