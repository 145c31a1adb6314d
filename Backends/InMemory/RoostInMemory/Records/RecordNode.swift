// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A node of a ``RecordMap``: up to 64 rows or child nodes; empty places take no memory.
///
/// A node is filled when it is made, and changed afterwards only while the map is its only owner. It owns a reference
/// to each of its elements; they are stored as plain addresses, so that walking down a tree counts no references.
final class RecordNode: ManagedBuffer<RecordNode.Header, UnsafeRawPointer> {
  struct Header {
    /// The bitmap of the 64 places that are taken.
    var bitmap: UInt64
    /// The rows below this node.
    var rowCount: Int
    /// Whether the elements are rows.
    var isLeaf: Bool
    /// The number of elements for which there is room.
    var capacity: Int
  }

  /// The places of a node, in a form that is easy to change.
  typealias Places = UnsafeMutableBufferPointer<UnsafeRawPointer?>

  /// Makes a node from the places that are taken; nil when none is.
  static func make(isLeaf: Bool, places: Places) -> RecordNode? {
    var bitmap: UInt64 = 0
    for place in 0..<64 where places[place] != nil { bitmap |= 1 << UInt64(place) }
    guard bitmap != 0 else { return nil }
    // Room for a few more: records are mostly added one after the other.
    let capacity = min(64, (bitmap.nonzeroBitCount + 16) & ~15)
    let node = unsafeDowncast(
      create(minimumCapacity: capacity) { _ in
        Header(bitmap: bitmap, rowCount: 0, isLeaf: isLeaf, capacity: capacity)
      }, to: RecordNode.self)
    node.withUnsafeMutablePointers { header, elements in
      header.pointee.rowCount = fill(elements, with: places, isLeaf: isLeaf)
    }
    return node
  }

  /// The rows below this node; by a pointer, since reading `header` is checked for exclusive access.
  var rowCount: Int { withUnsafeMutablePointerToHeader { $0.pointee.rowCount } }

  private static func fill(
    _ elements: UnsafeMutablePointer<UnsafeRawPointer>, with places: Places, isLeaf: Bool
  ) -> Int {
    var next = 0
    var rowCount = 0
    for case let element? in places {
      (elements + next).initialize(to: element)
      next += 1
      if isLeaf {
        _ = Unmanaged<RowStorage>.fromOpaque(element).retain()
        rowCount += 1
      } else {
        let child = Unmanaged<RecordNode>.fromOpaque(element).retain()
        rowCount += child._withUnsafeGuaranteedRef { $0.rowCount }
      }
    }
    return rowCount
  }

  deinit {
    withUnsafeMutablePointers { header, elements in
      for index in 0..<header.pointee.bitmap.nonzeroBitCount {
        if header.pointee.isLeaf {
          Unmanaged<RowStorage>.fromOpaque(elements[index]).release()
        } else {
          Unmanaged<RecordNode>.fromOpaque(elements[index]).release()
        }
      }
    }
  }

  /// The address of this node, as its parent keeps it.
  var address: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls `body` with a node that the caller keeps alive.
  @inline(__always)
  static func with<Result>(
    _ address: UnsafeRawPointer, _ body: (RecordNode) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<RecordNode>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  /// The element at a place; nil when the place is free.
  @inline(__always)
  func element(at place: Int) -> UnsafeRawPointer? {
    withUnsafeMutablePointers { header, elements in
      let bit: UInt64 = 1 &<< UInt64(place)
      let bitmap = header.pointee.bitmap
      guard bitmap & bit != 0 else { return nil }
      // A full node, as most are, has each element at its place; counting bits takes longer than all the rest.
      return elements[bitmap == .max ? place : (bitmap & (bit &- 1)).nonzeroBitCount]
    }
  }

  /// Writes the elements into the places of an empty table.
  func spread(into places: Places) {
    withUnsafeMutablePointers { header, elements in
      var bits = header.pointee.bitmap
      var index = 0
      while bits != 0 {
        places[bits.trailingZeroBitCount] = elements[index]
        index += 1
        bits &= bits &- 1
      }
    }
  }
}

// MARK: - Changes

extension RecordNode {
  /// Counts rows that came below a node, or left it.
  func count(_ difference: Int) {
    withUnsafeMutablePointerToHeader { $0.pointee.rowCount += difference }
  }

  /// Inserts a row into a leaf without other owners, or removes one.
  ///
  /// - Returns: The change of the row count; nil when the leaf was not changed, because it has no room or would be
  ///   empty.
  func set(_ row: Row?, at place: Int) -> Int? {
    withUnsafeMutablePointers { header, elements in
      let bit: UInt64 = 1 << UInt64(place)
      let bitmap = header.pointee.bitmap
      let index = (bitmap & (bit - 1)).nonzeroBitCount
      let following = bitmap.nonzeroBitCount - index
      let element = row.map { UnsafeRawPointer(Unmanaged.passRetained($0.storage).toOpaque()) }
      switch (bitmap & bit != 0, element) {
      case (false, nil): return 0
      case (true, let element?):
        Unmanaged<RowStorage>.fromOpaque(elements[index]).release()
        elements[index] = element
        return 0
      case (false, let element?):
        guard index + following < header.pointee.capacity else {
          Unmanaged<RowStorage>.fromOpaque(element).release()
          return nil
        }
        (elements + index + 1).moveInitialize(from: elements + index, count: following)
        (elements + index).initialize(to: element)
        header.pointee.bitmap |= bit
        header.pointee.rowCount += 1
        return 1
      case (true, nil):
        guard index + following > 1 else { return nil }
        Unmanaged<RowStorage>.fromOpaque(elements[index]).release()
        (elements + index).moveInitialize(from: elements + index + 1, count: following - 1)
        header.pointee.bitmap &= ~bit
        header.pointee.rowCount -= 1
        return -1
      }
    }
  }
}
