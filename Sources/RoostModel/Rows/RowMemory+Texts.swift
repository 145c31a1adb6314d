// SPDX-License-Identifier: Apache-2.0

public import Synchronization

// A text that is too long for an inline string stays in the tail of its row, the bytes after the slots, as the store
// delivered it. It becomes a string when it is read. A row with three such texts is one allocation, not four, and
// texts that are never read cost nothing. From the second read on, the string is cached.
//
// The memory of a text has room for a string, and the slot's cell contains the location of the bytes in the tail.
// While there is no string, the second word of the memory is one of the three small numbers of `TextState`. They
// cannot occur in a string: its second word is an address or has its highest bits set.
extension RowMemory {
  /// The states of a text without a cached string, in the second word of the string's memory.
  @usableFromInline enum TextState {
    /// The text was not read yet.
    static let unread: UInt64 = 0
    /// It was read once: the next read caches the string.
    static let readOnce: UInt64 = 1
    /// A thread is caching the string.
    @usableFromInline static let isBeingKept: UInt64 = 2
  }

  /// Returns the text in a `string` slot; empty when nil.
  ///
  /// - Parameters:
  ///   - base: The beginning of the row's memory.
  ///   - slot: A slot of the kind `string`.
  @inlinable @inline(__always)
  public static func text(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> String {
    let place = base + Int(slot.offset)
    if !hasString(place) { return makeText(base, slot) }
    return place.assumingMemoryBound(to: String.self).pointee
  }

  /// Sets a `string` slot and makes it not nil.
  ///
  /// - Parameters:
  ///   - text: The new value of the slot.
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
  ///   - body: Receives the bytes. Its errors are rethrown.
  @inlinable @inline(__always)
  public static func withUTF8<Result>(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let place = base + Int(slot.offset)
    if !hasString(place) { return try body(tailBytes(base, slot)) }
    let text = place.assumingMemoryBound(to: String.self)
    // Borrowed in place, without a retain: the row keeps the string alive.
    if let result = try text.pointee.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text.pointee
    return try copy.withUTF8(body)
  }
}

// MARK: - Places of texts

extension RowMemory {
  /// Whether there is a string at an address. Acquiring, so that a reader that finds one also sees its first word.
  @inlinable @inline(__always)
  static func hasString(_ place: UnsafeMutableRawPointer) -> Bool {
    #if _pointerBitWidth(_64)
    return state(place).pointee.load(ordering: .acquiring) > TextState.isBeingKept
    #else
    return true
    #endif
  }

  /// The second word at an address, which is atomic because threads that share a row may cache a string there
  /// concurrently.
  @inlinable @inline(__always)
  static func state(_ place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (place + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Returns the bytes of a text in the tail.
  @inlinable
  static func tailBytes(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> UnsafeBufferPointer<UInt8> {
    let word = base.load(fromByteOffset: slot.cellOffset, as: UInt64.self)
    let start = (base + Int(word & 0xFFFF_FFFF)).assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: Int(word >> 32))
  }

  @inline(never) @usableFromInline
  static func makeText(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> String {
    // The bytes were validated when they were stored.
    let text = String(decoding: tailBytes(base, slot), as: UTF8.self)
    let place = base + Int(slot.offset)
    let state = state(place)
    switch state.pointee.load(ordering: .relaxed) {
    case TextState.unread:
      _ = state.pointee.compareExchange(
        expected: TextState.unread, desired: TextState.readOnce, ordering: .relaxed)
    case TextState.readOnce:
      let (isMine, _) = state.pointee.compareExchange(
        expected: TextState.readOnce, desired: TextState.isBeingKept, ordering: .relaxed)
      if isMine { keep(text, place) }
    default: break
    }
    return text
  }

  /// Caches a string at an address that this thread has claimed. Other threads find it by its second word, which is
  /// written last.
  private static func keep(_ text: String, _ place: UnsafeMutableRawPointer) {
    withUnsafeTemporaryAllocation(of: String.self, capacity: 1) { copy in
      // Ownership moves to the row's memory: the copy is not released.
      copy.initializeElement(at: 0, to: text)
      guard let words = UnsafeRawPointer(copy.baseAddress) else { return }
      place.storeBytes(of: words.load(as: UInt64.self), as: UInt64.self)
      state(place).pointee.store(
        words.load(fromByteOffset: 8, as: UInt64.self), ordering: .releasing)
    }
  }

  /// Stores a string in a row that is not shared yet, and releases the previous one.
  @inlinable @inline(__always)
  static func setText(_ text: String, _ place: UnsafeMutableRawPointer) {
    if hasString(place) {
      place.assumingMemoryBound(to: String.self).pointee = text
    } else {
      place.initializeMemory(as: String.self, to: text)
    }
  }

  /// Sets the location in the tail of a slot's text, in a row that is not shared yet.
  static func setTail(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot, offset: Int, count: Int
  ) {
    let place = base + Int(slot.offset)
    if hasString(place) { place.assumingMemoryBound(to: String.self).deinitialize(count: 1) }
    place.storeBytes(of: 0, as: UInt64.self)
    place.storeBytes(of: TextState.unread, toByteOffset: 8, as: UInt64.self)
    let word = UInt64(count) << 32 | UInt64(offset)
    base.storeBytes(of: word, toByteOffset: slot.cellOffset, as: UInt64.self)
  }

  /// Copies a text to memory that already is a bitwise copy of the other row's memory.
  static func copyText(from source: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
    guard hasString(source) else {
      return place.storeBytes(of: TextState.unread, toByteOffset: 8, as: UInt64.self)
    }
    place.initializeMemory(
      as: String.self, to: source.assumingMemoryBound(to: String.self).pointee)
  }

  /// Whether two addresses hold the identical string, which implies equal texts.
  static func isSameString(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer
  ) -> Bool {
    hasString(left) && hasString(right)
      && left.load(as: UInt64.self) == right.load(as: UInt64.self)
      && left.load(fromByteOffset: 8, as: UInt64.self)
        == right.load(fromByteOffset: 8, as: UInt64.self)
  }
}
