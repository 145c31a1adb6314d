// SPDX-License-Identifier: Apache-2.0

import Foundation

// A text that is too long for a string without memory of its own stays, as a store gave it, in the tail of its row: the
// bytes after the slots. It becomes a string when it is read. A row of three such texts is one allocation and not four,
// and whoever never reads them never pays for them.
//
// The slot of a text in the tail holds the place and the number of its bytes in its first word and zero in its second.
// No string looks like that: the second word of a string is what `Optional` has to say nil with, which zero does.
extension RowMemory {
  /// The text in a `string` slot; empty when nil.
  ///
  /// - Parameters:
  ///   - base: The beginning of the row's memory.
  ///   - slot: A slot of the kind `string`.
  @inlinable @inline(__always)
  public static func text(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> String {
    let place = base + Int(slot.offset)
    if isInTail(place) { return makeText(base, place) }
    return place.assumingMemoryBound(to: String.self).pointee
  }

  /// Sets a `string` slot and makes it not nil.
  ///
  /// - Parameters:
  ///   - text: What the slot holds from now on.
  ///   - base: The beginning of the row's memory.
  ///   - slot: A slot of the kind `string`.
  @inlinable @inline(__always)
  public static func storeText(
    _ text: String, _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) {
    setText(text, base + Int(slot.offset))
    if isNull(base, slot) { markNull(base, slot, false) }
  }

  /// Calls `body` with the bytes of the text in a `string` slot, which are valid during the call; none when nil.
  ///
  /// - Parameters:
  ///   - base: The beginning of the row's memory.
  ///   - slot: A slot of the kind `string`.
  ///   - body: What is done with the bytes. What it throws is thrown on.
  @inlinable @inline(__always)
  public static func withUTF8<Result>(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let place = base + Int(slot.offset)
    if isInTail(place) { return try body(tailBytes(base, place)) }
    var text = place.assumingMemoryBound(to: String.self).pointee
    return try text.withUTF8(body)
  }

  /// Whether the text at a place is in the tail of its row.
  @inlinable @inline(__always)
  static func isInTail(_ place: UnsafeMutableRawPointer) -> Bool {
    #if _pointerBitWidth(_64)
    return place.load(fromByteOffset: 8, as: UInt64.self) == 0
    #else
    return false
    #endif
  }

  /// The bytes of a text in the tail.
  @inlinable
  static func tailBytes(
    _ base: UnsafeMutableRawPointer, _ place: UnsafeMutableRawPointer
  ) -> UnsafeBufferPointer<UInt8> {
    let word = place.load(as: UInt64.self)
    let start = (base + Int(word & 0xFFFF_FFFF)).assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: Int(word >> 32))
  }

  @inline(never) @usableFromInline
  static func makeText(
    _ base: UnsafeMutableRawPointer, _ place: UnsafeMutableRawPointer
  ) -> String {
    // The bytes were found valid when they came.
    String(decoding: tailBytes(base, place), as: UTF8.self)
  }

  /// Puts a string at a place, and lets go of the one that was there.
  @inlinable @inline(__always)
  static func setText(_ text: String, _ place: UnsafeMutableRawPointer) {
    if isInTail(place) {
      place.initializeMemory(as: String.self, to: text)
    } else {
      place.assumingMemoryBound(to: String.self).pointee = text
    }
  }
}

// MARK: - Texts as stores have them

extension Row {
  /// The most bytes of a text that waits in the tail: making a string of more costs too much to be done at every read.
  @inlinable static var longestInTail: Int { 512 }

  /// The bytes of the longest text that a string holds in itself.
  @inlinable static var longestInString: Int { 15 }

  /// The bytes of a row's tail that a text is going to need.
  ///
  /// - Parameter count: The bytes of the text in UTF-8.
  @inlinable @inline(__always)
  public static func tailCount(ofText count: Int) -> Int {
    #if _pointerBitWidth(_64)
    return count > longestInString && count <= longestInTail ? count : 0
    #else
    // A string has no second word there.
    return 0
    #endif
  }

  /// Sets a `string` slot to a text of which there are bytes in UTF-8. Only for the one who made the row.
  ///
  /// As long as there is room in the tail, a text is kept as it is and becomes a string when it is read.
  ///
  /// - Parameters:
  ///   - bytes: The text. They are copied.
  ///   - slot: A slot of the kind `string`.
  /// - Returns: false when the bytes are no valid UTF-8; the row is as it was then.
  ///
  /// ```swift
  /// let row = Row(
  ///   layout: layout, key: key, version: 1, tailCount: Row.tailCount(ofText: bytes.count))
  /// guard row.setText(bytes, at: slot) else { throw damaged }
  /// ```
  public func setText(_ bytes: UnsafeRawBufferPointer, at slot: RowSlot) -> Bool {
    let base = base
    guard placeText(bytes, base + Int(slot.offset)) else { return false }
    RowMemory.markNull(base, slot, false)
    return true
  }

  /// Puts a text at a place of the row; its null bit stays as it is.
  ///
  /// - Returns: false when the bytes are no valid UTF-8; the row is as it was then.
  package func placeText(_ bytes: UnsafeRawBufferPointer, _ place: UnsafeMutableRawPointer) -> Bool
  {
    if Row.tailCount(ofText: bytes.count) != 0, let source = bytes.baseAddress,
      let target = storage.takeTail(bytes.count)
    {
      guard UTF8Text.isValid(bytes) else { return false }
      if !RowMemory.isInTail(place) {
        place.assumingMemoryBound(to: String.self).deinitialize(count: 1)
      }
      target.copyMemory(from: source, byteCount: bytes.count)
      let offset = UInt64(target - base)
      place.storeBytes(of: UInt64(bytes.count) << 32 | offset, as: UInt64.self)
      place.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
      return true
    }
    guard let text = String(utf8: bytes) else { return false }
    RowMemory.setText(text, place)
    return true
  }

  /// Whether the bytes of two texts are the same.
  func equalsText(_ other: Row, at slot: RowSlot) -> Bool {
    RowMemory.withUTF8(base, slot) { mine in
      RowMemory.withUTF8(other.base, slot) { UTF8Order.areEqual(mine, $0) }
    }
  }
}
