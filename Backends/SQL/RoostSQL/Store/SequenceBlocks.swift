// SPDX-License-Identifier: Apache-2.0

/// The sequence numbers that are reserved in the database and not yet used.
///
/// They are reserved in blocks that grow with the demand, so that many small saves need few reservations; unused
/// numbers are lost at the end.
package struct SequenceBlocks: Sendable {
  private var free: Range<Int64> = 0..<0
  private var nextBlockSize = 64
  private static let largestBlockSize = 65_536

  package init() {}

  /// Takes consecutive numbers; returns nil when a block must be reserved first.
  package mutating func take(_ count: Int) -> ClosedRange<Int64>? {
    guard count <= free.count else { return nil }
    let result = free.lowerBound...(free.lowerBound + Int64(count) - 1)
    free = (result.upperBound + 1)..<free.upperBound
    return result
  }

  /// Returns how many numbers to reserve when `count` are needed.
  package func blockSize(for count: Int) -> Int {
    max(count, nextBlockSize)
  }

  /// Adds a reserved block. A block that follows the last one continues it.
  package mutating func add(_ block: Range<Int64>) {
    free = free.upperBound == block.lowerBound ? free.lowerBound..<block.upperBound : block
    nextBlockSize = min(nextBlockSize * 2, Self.largestBlockSize)
  }
}
