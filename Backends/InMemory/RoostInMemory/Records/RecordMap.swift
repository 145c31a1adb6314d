// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel

/// The records of one entity, ordered by their sequence numbers: a persistent radix tree whose nodes have 64 places
/// each and are immutable while a copy of the map shares them.
///
/// A change copies the nodes along its path and shares all others, so a copy of the map is a free snapshot, and
/// readers need no lock. A lookup takes one step for each six bits of the largest number.
struct RecordMap: @unchecked Sendable {
  // Sendable: nodes are written before they are shared, or while they have a single owner.

  /// The top node; nil when the map is empty.
  private(set) var root: RecordNode?
  /// The steps from the top node to a leaf.
  private(set) var height: Int

  /// Makes an empty map.
  init() {
    root = nil
    height = 0
  }

  init(root: RecordNode?, height: Int) {
    self.root = root
    self.height = height
  }

  /// The number of records.
  var count: Int { root?.rowCount ?? 0 }

  /// Looks up the storages of rows, which the map keeps alive; nil for missing rows. Consecutive keys share a leaf,
  /// and the path to it is walked once.
  ///
  /// - Parameters:
  ///   - keys: Keys of this entity.
  ///   - addresses: The output buffer, with room for one address per key.
  /// - Complexity: O(log *n*), to the base of 64, for each leaf.
  func find(
    _ keys: UnsafeBufferPointer<Int64>, into addresses: UnsafeMutablePointer<UnsafeRawPointer?>
  ) {
    guard let root else { return addresses.initialize(repeating: nil, count: keys.count) }
    let top = root.address
    withExtendedLifetime(root) {
      var leaf: UnsafeRawPointer?
      var leafNumber: Int64 = -1
      for index in keys.indices {
        let sequence = RecordKey.sequence(of: keys[index])
        if sequence &>> 6 != leafNumber {
          leafNumber = sequence &>> 6
          leaf = leafAddress(below: top, forSequence: sequence)
        }
        let address = leaf.flatMap { leaf in
          RecordNode.with(leaf) { $0.element(at: Int(sequence & 63)) }
        }
        (addresses + index).initialize(to: address)
      }
    }
  }

  private func leafAddress(
    below top: UnsafeRawPointer, forSequence sequence: Int64
  ) -> UnsafeRawPointer? {
    guard sequence >= 0, sequence < RecordMap.capacity(height: height) else { return nil }
    var address = top
    var shift = Int64(height &* 6)
    while shift > 0 {
      let place = Int((sequence &>> shift) & 63)
      guard let next = RecordNode.with(address, { $0.element(at: place) }) else { return nil }
      address = next
      shift &-= 6
    }
    return address
  }

  /// The first sequence number that a tree of a height has no room for.
  static func capacity(height: Int) -> Int64 {
    height >= 9 ? .max : 1 << Int64((height + 1) * 6)
  }
}

// MARK: - Changes in place

extension RecordMap {
  /// Makes a change in the nodes themselves: no other one is made.
  ///
  /// - Returns: false when nothing was changed, because a copy of the map has a node on the way, or there is no room.
  /// - Complexity: O(log *n*).
  mutating func changeInPlace(_ change: RecordChange) -> Bool {
    let sequence = RecordKey.sequence(of: change.key)
    guard sequence >= 0, sequence < RecordMap.capacity(height: height),
      isKnownUniquelyReferenced(&root), let top = root
    else { return false }
    return withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: height) { path in
      var address = top.address
      for step in 0..<height {
        let place = Int((sequence >> Int64((height - step) * 6)) & 63)
        guard let next = RecordNode.with(address, { $0.element(at: place) }),
          NodeReference.isUnique(next, as: RecordNode.self)
        else { return false }
        path.initializeElement(at: step, to: address)
        address = next
      }
      let difference = RecordNode.with(address) { $0.set(change.row, at: Int(sequence & 63)) }
      guard let difference else { return false }
      for node in path { RecordNode.with(node) { $0.count(difference) } }
      return true
    }
  }
}

// MARK: - Scans

extension RecordMap {
  /// Calls `body` with the storages of rows in ascending order, a leaf at a time, until it returns false.
  ///
  /// - Parameter start: The sequence number to begin with.
  /// - Returns: Whether `body` returned true to the end.
  @discardableResult
  func scan(
    from start: Int64 = 0, _ body: (UnsafeBufferPointer<UnsafeRawPointer>) throws -> Bool
  ) rethrows -> Bool {
    guard let root, start < RecordMap.capacity(height: height) else { return true }
    return try RecordMap.scan(root.address, level: height, from: max(0, start), body)
  }

  // As deep as the tree is high: nine calls at the most.
  private static func scan(
    _ address: UnsafeRawPointer, level: Int, from start: Int64,
    _ body: (UnsafeBufferPointer<UnsafeRawPointer>) throws -> Bool
  ) rethrows -> Bool {
    try RecordNode.with(address) { node in
      let shift = Int64(level * 6)
      let firstPlace = start >> shift
      guard firstPlace < 64 else { return true }
      return try node.withUnsafeMutablePointers { header, elements in
        let bitmap = header.pointee.bitmap
        let first = (bitmap & ((1 << UInt64(firstPlace)) - 1)).nonzeroBitCount
        let count = bitmap.nonzeroBitCount
        guard first < count else { return true }
        if level == 0 {
          return try body(UnsafeBufferPointer(start: elements + first, count: count - first))
        }
        let isFirstPlaceTaken = bitmap & (1 << UInt64(firstPlace)) != 0
        for index in first..<count {
          let rest = index == first && isFirstPlaceTaken ? start - firstPlace << shift : 0
          guard try scan(elements[index], level: level - 1, from: rest, body) else { return false }
        }
        return true
      }
    }
  }
}
