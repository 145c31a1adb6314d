// SPDX-License-Identifier: Apache-2.0

// Texts as stores have them: bytes in UTF-8.
extension Row {
  /// The most bytes of a text that waits in the tail: a longer one would be copied for long when it is read.
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
  /// - Returns: false when the bytes are no valid UTF-8; the slot is as it was then.
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

  /// Puts a text into a slot of the row; its null bit stays as it is.
  ///
  /// - Parameter base: The beginning of the row's memory.
  /// - Returns: false when the bytes are no valid UTF-8; the slot is as it was then.
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

  /// Whether the bytes of two texts are the same.
  func equalsText(_ other: Row, at slot: RowSlot) -> Bool {
    RowMemory.withUTF8(base, slot) { mine in
      RowMemory.withUTF8(other.base, slot) { UTF8Order.areEqual(mine, $0) }
    }
  }
}
