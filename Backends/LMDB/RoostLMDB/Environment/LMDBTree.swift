// SPDX-License-Identifier: Apache-2.0

import CLMDB

/// The record that a file keeps of one of its B+ trees (`MDB_db`).
struct LMDBTree {
  let flags: UInt16
  let depth: Int
  let branchPages: UInt64
  let leafPages: UInt64
  let overflowPages: UInt64
  let entries: UInt64
  let root: UInt64

  /// The size of the record in bytes.
  static let byteCount = 48
  /// The root of an empty tree.
  static let noPage = UInt64.max
  /// The flag of a table with integer keys.
  static let integerKeys = UInt16(MDB_INTEGERKEY)
  /// The flags that define the kind of a table's keys and values.
  static let kinds: UInt16 = 0x7F
  /// More levels than LMDB can handle.
  static let largestDepth = 32

  /// Decodes an `MDB_db` record.
  init(_ bytes: UnsafeRawBufferPointer) {
    flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
    depth = Int(bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    branchPages = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    leafPages = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    overflowPages = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    entries = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    root = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
  }

  /// Whether the fields agree about there being pages.
  var isSound: Bool {
    guard root != Self.noPage else {
      return depth == 0 && entries == 0 && branchPages == 0 && leafPages == 0 && overflowPages == 0
    }
    return depth > 0 && depth <= Self.largestDepth && leafPages > 0 && entries >= leafPages
  }
}

/// One page of a file, as it was read. Its numbers are only believed as far as they were checked.
struct LMDBPage {
  let bytes: UnsafeRawBufferPointer

  enum Kind: UInt16 {
    case branch = 1
    case leaf = 2
    case overflow = 4
  }

  /// One entry of a page.
  struct Node {
    /// The flags of a leaf's entry.
    let flags: UInt16
    let key: UnsafeRawBufferPointer
    /// The page below, of a branch's entry.
    let child: UInt64
    /// How long the value of a leaf's entry is.
    let valueCount: Int
    /// The value of a leaf's entry, or the number of the page that has it.
    let value: UnsafeRawBufferPointer

    var isOnOverflowPages: Bool { flags & 1 != 0 }
    var isTable: Bool { flags & 2 != 0 }
    /// Only these two are in files of ours.
    var isKnown: Bool { flags & ~3 == 0 && flags != 3 }
  }

  static let headerCount = 16
  private static let nodeHeaderCount = 8
  private static let longestKey = 511

  private func number(_ offset: Int) -> Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The page number in the page header.
  var pageNumber: UInt64 { bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self) }
  /// The kind in the page header; nil for a kind that does not occur in a tree.
  var kind: Kind? { Kind(rawValue: UInt16(truncatingIfNeeded: number(10))) }
  /// The number of pages of a value; stored in its first overflow page.
  var overflowCount: UInt64 {
    UInt64(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
  }

  /// The number of entries, and the upper bound of the free space; nil when they do not fit into the page.
  private var bounds: (count: Int, upper: Int)? {
    let lower = number(12)
    let upper = number(14)
    guard lower >= Self.headerCount, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      return nil
    }
    return ((lower - Self.headerCount) / 2, upper)
  }

  /// Calls `body` with each entry.
  ///
  /// - Parameter hasIntegerKeys: Whether all keys have eight bytes.
  /// - Returns: The number of entries; nil when the page is damaged.
  func forEachNode(
    hasIntegerKeys: Bool, _ body: (Node) throws -> Void
  ) rethrows -> Int? {
    guard let (count, upper) = bounds, let kind, kind != .overflow,
      count >= (kind == .branch ? 2 : 1)
    else { return nil }
    var room = bytes.count - upper
    for index in 0..<count {
      let offset = number(Self.headerCount + 2 * index)
      guard offset >= upper, offset % 2 == 0, offset + Self.nodeHeaderCount <= bytes.count else {
        return nil
      }
      guard let (node, size) = node(at: offset, kind) else { return nil }
      // The first entry of a branch page covers all smaller keys, and may have no key.
      let keyCount = node.key.count
      let isFirstOfBranch = kind == .branch && index == 0
      guard keyCount <= Self.longestKey, keyCount > 0 || isFirstOfBranch,
        !hasIntegerKeys || keyCount == MemoryLayout<UInt64>.size
          || (isFirstOfBranch && keyCount == 0)
      else { return nil }
      room -= size
      try body(node)
    }
    // Entries that overlap would take more than there is.
    return room >= 0 ? count : nil
  }

  private func node(at offset: Int, _ kind: Kind) -> (Node, size: Int)? {
    let low = UInt64(number(offset)) | UInt64(number(offset + 2)) << 16
    let flags = UInt16(truncatingIfNeeded: number(offset + 4))
    let keyCount = number(offset + 6)
    let start = offset + Self.nodeHeaderCount
    let isOutside = kind == .branch ? true : flags & 1 != 0
    let inner = kind == .branch ? 0 : isOutside ? MemoryLayout<UInt64>.size : Int(low)
    guard start + keyCount + inner <= bytes.count else { return nil }
    let node = Node(
      flags: flags, key: .init(rebasing: bytes[start..<start + keyCount]),
      child: low | UInt64(flags) << 32, valueCount: Int(low),
      value: .init(rebasing: bytes[start + keyCount..<start + keyCount + inner]))
    return (node, (Self.nodeHeaderCount + keyCount + inner + 1) & ~1)
  }
}
