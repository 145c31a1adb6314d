// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values of one record: one allocation of typed slots, described by a ``RowLayout``.
///
/// A store makes a row, fills its slots and passes it on; from then on it is immutable. The coordinator's cache, the
/// snapshots of conflicts and the objects of all contexts share it; an object copies it before it is changed.
///
/// ```swift
/// let row = Row(layout: layout, key: key, version: 1)
/// row.setInteger(36, at: layout.slots[0])
/// ```
@frozen public struct Row: @unchecked Sendable {
  // Sendable: the storage is written only by the code that made it, before it is shared.

  /// The memory, shared by all copies of this variable.
  public let storage: RowStorage

  /// Makes a row in which every property is nil.
  ///
  /// - Parameters:
  ///   - layout: The layout of the record's concrete entity.
  ///   - key: The record's key in its store.
  ///   - version: The number of saves that wrote the record, from 1; a record that was deleted and restored has a
  ///     later version than before.
  ///   - tailCount: The number of bytes to reserve for texts, below 4 GiB; see ``setText(_:at:)``.
  @inlinable public init(layout: RowLayout, key: Int64, version: Int64, tailCount: Int = 0) {
    let tailCount = UInt32(tailCount)
    let tailWords = (Int(tailCount) &+ 7) &>> 3
    let buffer = RowStorage.create(minimumCapacity: layout.wordCount &+ tailWords) { _ in
      RowHeader(layout: layout, key: key, version: version, tailCount: tailCount)
    }
    storage = unsafeDowncast(buffer, to: RowStorage.self)
    UnsafeMutableRawPointer(storage.words)
      .copyMemory(
        from: layout.template - layout.leadCount &* 8, byteCount: layout.wordCount &* 8)
  }

  @inlinable package init(storage: RowStorage) {
    self.storage = storage
  }

  /// The layout of the slots.
  @inlinable @inline(__always) public var layout: RowLayout { storage.head.pointee.layout }

  /// The record's key in its store.
  @inlinable @inline(__always) public var key: Int64 { storage.head.pointee.key }

  /// The number of saves that wrote the record, from 1.
  @inlinable @inline(__always) public var version: Int64 { storage.head.pointee.version }

  /// Sets the key and the version of the record; only for the code that made the row, before it is shared.
  package func identify(key: Int64, version: Int64) {
    storage.head.pointee.key = key
    storage.head.pointee.version = version
  }

  /// The base address of the row's slots: null bits, then cells.
  @inlinable @inline(__always) public var base: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(storage.base)
  }

  /// Whether two variables hold the same memory.
  @inlinable public func isIdentical(to other: Row) -> Bool { storage === other.storage }
}

/// The header before the slots of a row.
@frozen public struct RowHeader {
  /// The layout of the slots that follow.
  public let layout: RowLayout
  /// The record's key in its store.
  public var key: Int64
  /// The number of saves that wrote the record.
  public var version: Int64
  /// The number of bytes after the slots.
  public let tailCount: UInt32
  /// The number of these bytes in use by texts.
  public internal(set) var tailUsed: UInt32 = 0

  @inlinable init(layout: RowLayout, key: Int64, version: Int64, tailCount: UInt32) {
    self.layout = layout
    self.key = key
    self.version = version
    self.tailCount = tailCount
  }
}

/// The memory of a ``Row``: a header and a tail of words.
public final class RowStorage: ManagedBuffer<RowHeader, UInt64> {
  /// A pointer to the header, which is accessed without a dynamic exclusivity check, unlike a property.
  @inlinable var head: UnsafeMutablePointer<RowHeader> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inlinable var words: UnsafeMutablePointer<UInt64> {
    withUnsafeMutablePointerToElements { $0 }
  }

  /// The word that slot offsets are relative to.
  @inlinable @inline(__always) var base: UnsafeMutablePointer<UInt64> {
    words + head.pointee.layout.leadCount
  }

  /// Allocates bytes of the tail; nil when too few are left.
  @inline(__always)
  func takeTail(_ count: Int) -> UnsafeMutableRawPointer? {
    let used = Int(head.pointee.tailUsed)
    guard count <= Int(head.pointee.tailCount) - used else { return nil }
    head.pointee.tailUsed = UInt32(used + count)
    return UnsafeMutableRawPointer(words + head.pointee.layout.wordCount) + used
  }

  deinit {
    head.pointee.layout.destroyManagedSlots(UnsafeMutableRawPointer(base))
  }
}

// MARK: - Copies

extension Row {
  /// Returns a copy with its own memory, which its owner may change.
  ///
  /// - Parameters:
  ///   - key: The key of the copy; the same when nil.
  ///   - version: The version of the copy; the same when nil.
  public func copy(key: Int64? = nil, version: Int64? = nil) -> Row {
    let used = storage.head.pointee.tailUsed
    let result = Row(
      layout: layout, key: key ?? self.key, version: version ?? self.version, tailCount: Int(used))
    layout.copySlots(from: base, to: result.base)
    if used > 0 {
      let start = layout.wordCount
      UnsafeMutableRawPointer(result.storage.words + start)
        .copyMemory(from: storage.words + start, byteCount: Int(used))
      result.storage.head.pointee.tailUsed = used
    }
    return result
  }
}
