// SPDX-License-Identifier: Apache-2.0

/// A compressed list of keys: no memory per key for consecutive keys, as in a table scan; otherwise four bytes per
/// key, or eight where they are far apart.
package struct PackedKeys: RandomAccessCollection, Sendable {
  /// The number of keys per block.
  private static let blockSize = 1_024

  /// The encoding of a block's keys.
  private enum Block {
    /// Consecutive records of the same entity.
    case run(first: Int64)
    /// Records of one entity, as offsets from the smallest number.
    case near(base: Int64, start: Int)
    /// Uncompressed keys.
    case far(start: Int)
  }

  private var blocks: ContiguousArray<Block> = []
  private var near: ContiguousArray<UInt32> = []
  private var far: ContiguousArray<Int64> = []
  /// The keys of the last, incomplete block.
  private var last: ContiguousArray<Int64> = []

  package init() {}

  package init(_ keys: some Sequence<Int64>) {
    for key in keys { append(key) }
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { blocks.count * Self.blockSize + last.count }

  package mutating func append(_ key: Int64) {
    last.append(key)
    if last.count == Self.blockSize { seal() }
  }

  package subscript(position: Int) -> Int64 {
    let (number, offset) = position.quotientAndRemainder(dividingBy: Self.blockSize)
    guard number < blocks.count else { return last[offset] }
    switch blocks[number] {
    case .run(let first): return first + Int64(offset) << RecordKey.entityBits
    case .near(let base, let start):
      return base + Int64(near[start + offset]) << RecordKey.entityBits
    case .far(let start): return far[start + offset]
    }
  }

  private mutating func seal() {
    defer { last.removeAll(keepingCapacity: true) }
    var smallest = last[0]
    var largest = last[0]
    var differences: Int64 = 0
    var isRun = true
    for (offset, key) in last.enumerated() {
      differences |= key ^ last[0]
      smallest = Swift.min(smallest, key)
      largest = Swift.max(largest, key)
      if key != last[0] &+ Int64(offset) << RecordKey.entityBits { isRun = false }
    }
    if isRun { return blocks.append(.run(first: last[0])) }
    let span = RecordKey.sequence(of: largest).subtractingReportingOverflow(
      RecordKey.sequence(of: smallest))
    guard RecordKey.entityCode(of: differences) == 0, !span.overflow,
      span.partialValue <= Int64(UInt32.max)
    else {
      blocks.append(.far(start: far.count))
      return far.append(contentsOf: last)
    }
    blocks.append(.near(base: smallest, start: near.count))
    near.append(
      contentsOf: last.lazy.map {
        UInt32(truncatingIfNeeded: ($0 - smallest) >> RecordKey.entityBits)
      })
  }
}
