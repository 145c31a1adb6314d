// SPDX-License-Identifier: Apache-2.0

// Texts as UTF-8 bytes, as stores deliver them.
extension Row {
  /// The maximum length in bytes of a text in the tail: copying a longer one on each read would be slow.
  @inlinable static var longestInTail: Int { 512 }

  /// The maximum length in bytes of an inline string.
  @inlinable static var longestInString: Int { 15 }

  /// Returns the number of bytes that a text needs in a row's tail.
  ///
  /// - Parameter count: The bytes of the text in UTF-8.
  @inlinable @inline(__always)
  public static func tailCount(ofText count: Int) -> Int {
    #if _pointerBitWidth(_64)
    return count > longestInString && count <= longestInTail ? count : 0
    #else
    // A string has no second word on this platform.
    return 0
    #endif
  }

  /// Sets a `string` slot to a text in UTF-8. Only for the code that made the row.
  ///
  /// If there is room in the tail, the text is stored there and becomes a string when it is read.
  ///
  /// - Parameters:
  ///   - bytes: The text. They are copied.
  ///   - slot: A slot of the kind `string`.
  /// - Returns: false when the bytes are not valid UTF-8; the slot is unchanged then.
  ///
  /// ```swift
  /// let row = Row(
  ///   layout: layout, key: key, version: 1, tailCount: Row.tailCount(ofText: bytes.count))
  /// guard row.setText(bytes, at: slot) else { throw damaged }
  /// ```
  public func setText(_ bytes: UnsafeRawBufferPointer, at slot: RowSlot) -> Bool {
    let base = base
    guard placeText(bytes, base, slot) else { return false }
    RowMemory.markNull(base, slot, false)
    return true
  }

  /// Stores a text in a slot of the row without changing its null bit.
  ///
  /// - Parameter base: The beginning of the row's memory.
  /// - Returns: false when the bytes are not valid UTF-8; the slot is unchanged then.
  package func placeText(
    _ bytes: UnsafeRawBufferPointer, _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Bool {
    let count = bytes.count
    if Row.tailCount(ofText: count) != 0, let source = bytes.baseAddress,
      let target = storage.takeTail(count)
    {
      guard UTF8Text.isValid(source, count: count) else { return false }
      target.copyMemory(from: source, byteCount: count)
      RowMemory.setTail(base, slot, offset: target - base, count: count)
      return true
    }
    guard let text = String(utf8: bytes) else { return false }
    RowMemory.setText(text, base + Int(slot.offset))
    return true
  }

  /// Whether two texts have the same bytes.
  func equalsText(_ other: Row, at slot: RowSlot) -> Bool {
    RowMemory.withUTF8(base, slot) { mine in
      RowMemory.withUTF8(other.base, slot) { UTF8Order.areEqual(mine, $0) }
    }
  }
}
