// SPDX-License-Identifier: Apache-2.0

public import Synchronization

// A text that is too long for a string without memory of its own stays, as a store gave it, in the tail of its row: the
// bytes after the slots. It becomes a string when it is read. A row of three such texts is one allocation, not four,
// and a program that never reads them never pays for them. A text that is read again is kept as a string from then on.
//
// The place of a text has room for a string, and the slot's cell says where in the tail the bytes are. While there is
// no string, the second word of the place is one of the three small numbers of `TextState`. No string looks
// like that: the second word of a string is an address or has its highest bits set.
extension RowMemory {
  /// What the second word of a string's place says when there is no string.
  @usableFromInline enum TextState {
    /// Nobody has read the text.
    static let unread: UInt64 = 0
    /// It was read once: the next read keeps the string.
    static let readOnce: UInt64 = 1
    /// A thread is about to keep the string.
    @usableFromInline static let isBeingKept: UInt64 = 2
  }

  /// The text in a `string` slot; empty when nil.
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
    if !hasString(place) { return try body(tailBytes(base, slot)) }
    let text = place.assumingMemoryBound(to: String.self)
    // What is borrowed where it stands is not counted: nobody lets go of it while the row is there.
    if let result = try text.pointee.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text.pointee
    return try copy.withUTF8(body)
  }
}

// MARK: - Places of texts

extension RowMemory {
  /// Whether there is a string at a place. Acquiring: a reader that finds one also finds its first word.
  @inlinable @inline(__always)
  static func hasString(_ place: UnsafeMutableRawPointer) -> Bool {
    #if _pointerBitWidth(_64)
    return state(place).pointee.load(ordering: .acquiring) > TextState.isBeingKept
    #else
    return true
    #endif
  }

  /// The second word of a place: threads that share a row may keep a string there at the same time.
  @inlinable @inline(__always)
  static func state(_ place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (place + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// The bytes of a text in the tail.
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
    // The bytes were found valid when they came.
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

  /// Keeps a string at a place for which this thread alone is responsible. Others find it there by its second word,
  /// which is written last.
  private static func keep(_ text: String, _ place: UnsafeMutableRawPointer) {
    withUnsafeTemporaryAllocation(of: String.self, capacity: 1) { copy in
      // What the copy retains goes over to the place: nobody releases the copy.
      copy.initializeElement(at: 0, to: text)
      guard let words = UnsafeRawPointer(copy.baseAddress) else { return }
      place.storeBytes(of: words.load(as: UInt64.self), as: UInt64.self)
      state(place).pointee.store(
        words.load(fromByteOffset: 8, as: UInt64.self), ordering: .releasing)
    }
  }

  /// Puts a string at a place of a row that nobody else has, and lets go of the one that was there.
  @inlinable @inline(__always)
  static func setText(_ text: String, _ place: UnsafeMutableRawPointer) {
    if hasString(place) {
      place.assumingMemoryBound(to: String.self).pointee = text
    } else {
      place.initializeMemory(as: String.self, to: text)
    }
  }

  /// Says where in the tail the text of a slot is, in a row that nobody else has.
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

  /// Makes a place, whose memory is a plain copy of that of another row's place, hold the same text.
  static func copyText(from source: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
    guard hasString(source) else {
      return place.storeBytes(of: TextState.unread, toByteOffset: 8, as: UInt64.self)
    }
    place.initializeMemory(
      as: String.self, to: source.assumingMemoryBound(to: String.self).pointee)
  }

  /// Whether two places hold the very same string, which then is the same text.
  static func isSameString(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer
  ) -> Bool {
    hasString(left) && hasString(right)
      && left.load(as: UInt64.self) == right.load(as: UInt64.self)
      && left.load(fromByteOffset: 8, as: UInt64.self)
        == right.load(fromByteOffset: 8, as: UInt64.self)
  }
}
