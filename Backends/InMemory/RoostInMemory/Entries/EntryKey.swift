// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue

/// A key of an ``EntryMap``, and its value when it has one: 24 bytes, ordered as the key's bytes are.
///
/// A key of up to 23 bytes without a value is stored inline, with its length in the last byte; zeros fill the rest.
/// Any other has its first eight bytes here, which decide most comparisons, and everything in an ``EntryBlob``.
struct EntryKey {
  /// The first eight bytes of the key.
  private let head: UInt64
  /// The next eight bytes, or the address of the blob.
  private let middle: UInt64
  /// The next seven bytes and the length, or the mark of a blob.
  private let tail: UInt64

  /// The bytes that a key can have without a blob.
  static let inlineCapacity = 23
  private static let blobMark: UInt8 = 0xFF

  /// Makes an inline key.
  ///
  /// - Parameter bytes: At most ``inlineCapacity`` bytes.
  init(inline bytes: UnsafeRawBufferPointer) {
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &words) { words in
      words.copyMemory(from: bytes)
      words[23] = UInt8(truncatingIfNeeded: bytes.count)
    }
    (head, middle, tail) = words
  }

  /// Makes a key that is stored in a blob, which the caller must keep alive.
  init(blob: EntryBlob) {
    head = blob.withBytes { key, _ in
      var head: UInt64 = 0
      withUnsafeMutableBytes(of: &head) { head in
        head.copyMemory(from: UnsafeRawBufferPointer(rebasing: key.prefix(8)))
      }
      return head
    }
    middle = UInt64(UInt(bitPattern: Unmanaged.passUnretained(blob).toOpaque()))
    tail = UInt64(EntryKey.blobMark) << 56
    assert(UInt64(1).littleEndian == 1, "the last byte of a word is its most significant one")
  }

  private var mark: UInt8 { UInt8(truncatingIfNeeded: tail &>> 56) }

  /// The blob of the key; nil for an inline key.
  var blob: Unmanaged<EntryBlob>? {
    guard mark == EntryKey.blobMark, let address = UnsafeRawPointer(bitPattern: UInt(middle))
    else { return nil }
    return Unmanaged.fromOpaque(address)
  }
}

extension EntryKey {
  /// Calls `body` with the key's bytes and the value's, which the blob's owner or the memory at `place` keeps alive.
  @inline(__always)
  static func withBytes<Result>(
    at place: UnsafePointer<EntryKey>,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    if let blob = place.pointee.blob {
      return try blob._withUnsafeGuaranteedRef { try $0.withBytes(body) }
    }
    return try body(
      UnsafeRawBufferPointer(start: place, count: Int(place.pointee.mark)),
      UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// The number in the last eight bytes of a key.
  @inline(__always)
  static func lastWord(at place: UnsafePointer<EntryKey>) -> Int64 {
    withBytes(at: place) { key, _ in
      Int64(bigEndian: key.loadUnaligned(fromByteOffset: key.count &- 8, as: Int64.self))
    }
  }

  /// Whether a key comes before another.
  @inline(__always)
  static func precedes(_ left: EntryKey, _ right: EntryKey) -> Bool {
    if left.head != right.head { return left.head.bigEndian < right.head.bigEndian }
    return left.compareRest(right) < 0
  }

  /// Negative when `left` comes first, 0 when the keys are equal.
  @inline(__always)
  static func compare(_ left: EntryKey, _ right: EntryKey) -> Int {
    if left.head != right.head { return left.head.bigEndian < right.head.bigEndian ? -1 : 1 }
    return left.compareRest(right)
  }

  private func compareRest(_ other: EntryKey) -> Int {
    if mark != EntryKey.blobMark, other.mark != EntryKey.blobMark {
      if middle != other.middle { return middle.bigEndian < other.middle.bigEndian ? -1 : 1 }
      if tail == other.tail { return 0 }
      return tail.bigEndian < other.tail.bigEndian ? -1 : 1
    }
    return withUnsafePointer(to: self) { left in
      withUnsafePointer(to: other) { right in
        EntryKey.withBytes(at: left) { leftKey, _ in
          EntryKey.withBytes(at: right) { rightKey, _ in KeyEncoding.compare(leftKey, rightKey) }
        }
      }
    }
  }
}

/// A key that is too long for an ``EntryKey``, or that has a value, followed by the value.
final class EntryBlob: ManagedBuffer<EntryBlob.Header, UInt8> {
  struct Header {
    var keyCount: Int
    var valueCount: Int
  }

  /// Makes a copy of a key and a value.
  static func make(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> EntryBlob {
    let blob = unsafeDowncast(
      create(minimumCapacity: key.count + value.count) { _ in
        Header(keyCount: key.count, valueCount: value.count)
      }, to: EntryBlob.self)
    blob.withUnsafeMutablePointerToElements { bytes in
      UnsafeMutableRawBufferPointer(start: bytes, count: key.count).copyMemory(from: key)
      UnsafeMutableRawBufferPointer(start: bytes + key.count, count: value.count)
        .copyMemory(from: value)
    }
    return blob
  }

  /// Calls `body` with the bytes of the key and of the value.
  @inline(__always)
  func withBytes<Result>(
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafeMutablePointers { header, bytes in
      try body(
        UnsafeRawBufferPointer(start: bytes, count: header.pointee.keyCount),
        UnsafeRawBufferPointer(
          start: bytes + header.pointee.keyCount, count: header.pointee.valueCount))
    }
  }
}
