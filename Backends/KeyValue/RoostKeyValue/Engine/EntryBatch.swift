// SPDX-License-Identifier: Apache-2.0

/// Changes of the entries of one table. Of several changes of one key the last one counts.
///
/// ```swift
/// changes.order()
/// changes.forEach { change in
///   entries[Array(change.key)] = change.kind == .remove ? nil : Array(change.value)
/// }
/// ```
public struct EntryBatch: Sendable {
  /// The most bytes that the key or the value of an entry can have.
  package static let largestPart = Int(UInt32.max)

  /// The keys and values of all changes, one after the other.
  private var bytes: [UInt8] = []
  private var items: [Item] = []
  private var isOrdered = true
  private let largestPart: Int
  /// The size of the largest key or value that is too large for an entry, and was left out; nil if there is none.
  /// ``WriteBatch/checkSizes()`` refuses a batch with one.
  package private(set) var refusedSize: Int?

  private struct Item: BitwiseCopyable {
    /// The first eight bytes of the key as a number: they decide most comparisons.
    var head: UInt64
    var start: Int
    var keyCount: UInt32
    var valueCount: UInt32
    var kind: Kind
  }

  /// The kind of change of an entry.
  ///
  /// ```swift
  /// let isWritten = change.kind != .remove
  /// ```
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// The entry is written.
    case put
    /// The entry is written, and its components must be unique; the store has already checked that they are.
    case claim
    /// The entry is removed.
    case remove
  }

  /// The change of one entry, valid only during the call that receives it.
  ///
  /// ```swift
  /// let key = Array(change.key)
  /// ```
  public struct Change {
    /// The key.
    public var key: UnsafeRawBufferPointer
    /// The value; empty when the entry is removed.
    public var value: UnsafeRawBufferPointer
    /// Whether the entry is written or removed.
    public var kind: Kind
  }

  /// Makes a batch without changes.
  ///
  /// - Parameter largestPart: The most bytes of a key or a value, at most ``largestPart``; tests make it small.
  package init(largestPart: Int = Self.largestPart) {
    self.largestPart = largestPart
  }

  /// Whether the batch has no changes.
  public var isEmpty: Bool { items.isEmpty }
  /// The number of changes, including those that later ones replace.
  public var count: Int { items.count }

  /// Makes room.
  package mutating func reserveCapacity(_ count: Int, bytesEach: Int) {
    items.reserveCapacity(items.count + count)
    bytes.reserveCapacity(bytes.count + count * bytesEach)
  }

  /// Writes or removes an entry.
  ///
  /// - Parameter writeKey: Appends the key, and returns the bytes of the value.
  package mutating func append(
    _ kind: Kind, _ writeKey: (inout [UInt8]) -> ArraySlice<UInt8> = { _ in [] }
  ) {
    let start = bytes.count
    let value = writeKey(&bytes)
    let keyCount = bytes.count - start
    guard fits(keyCount), fits(value.count) else { return bytes.removeSubrange(start...) }
    bytes.append(contentsOf: value)
    let head = bytes.withUnsafeBytes { bytes in
      EntryBatch.head(of: UnsafeRawBufferPointer(rebasing: bytes[start..<start + keyCount]))
    }
    append(
      Item(
        head: head, start: start, keyCount: UInt32(keyCount), valueCount: UInt32(value.count),
        kind: kind))
  }

  /// Writes or removes an entry that has a key and no value.
  package mutating func append(_ kind: Kind, key: UnsafeRawBufferPointer) {
    guard fits(key.count) else { return }
    let start = bytes.count
    bytes.append(contentsOf: key)
    append(
      Item(
        head: EntryBatch.head(of: key), start: start, keyCount: UInt32(key.count), valueCount: 0,
        kind: kind))
  }

  /// Adds the changes of another batch.
  package mutating func append(contentsOf other: EntryBatch) {
    guard !isEmpty || refusedSize != nil else { return self = other }
    if let size = other.refusedSize { _ = fits(size) }
    let start = bytes.count
    bytes.append(contentsOf: other.bytes)
    for item in other.items {
      var item = item
      item.start += start
      append(item)
    }
  }

  /// Returns whether a key or a value is small enough, and notes its size if it is not.
  @inline(__always)
  private mutating func fits(_ size: Int) -> Bool {
    if size <= largestPart { return true }
    refusedSize = max(refusedSize ?? 0, size)
    return false
  }

  private mutating func append(_ item: Item) {
    if isOrdered, let last = items.last, last.head >= item.head {
      isOrdered =
        last.head == item.head && bytes.withUnsafeBytes { EntryBatch.precedes(last, item, in: $0) }
    }
    items.append(item)
  }

  @inline(__always)
  private static func head(of key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for index in key.indices { head |= UInt64(key[index]) << UInt64(56 - index * 8) }
    return head
  }

  /// Sorts the changes; repeating it costs nothing.
  public mutating func order() {
    guard !isOrdered else { return }
    isOrdered = true
    guard items.count > EntryBatch.fewItems else {
      return bytes.withUnsafeBytes { bytes in
        items.sort { EntryBatch.precedes($0, $1, in: bytes) }
      }
    }
    items.sortByDigits(of: \.head)
    orderEqualHeads()
  }

  /// From this number on, items are sorted by the digits of their heads.
  private static let fewItems = 256

  /// Sorts each run of items with the same head. Most are in order: items come by record, and sorting by heads has
  /// kept their order.
  private mutating func orderEqualHeads() {
    bytes.withUnsafeBytes { bytes in
      items.withUnsafeMutableBufferPointer { items in
        var start = 0
        while start < items.count {
          var end = start + 1
          var runIsOrdered = true
          while end < items.count, items[end].head == items[start].head {
            if !EntryBatch.precedes(items[end - 1], items[end], in: bytes) { runIsOrdered = false }
            end += 1
          }
          if !runIsOrdered {
            items[start..<end].sort { EntryBatch.precedes($0, $1, in: bytes) }
          }
          start = end
        }
      }
    }
  }

  /// Calls `body` with the changes in ascending order of their keys, each key once.
  public func forEach(_ body: (Change) throws -> Void) rethrows {
    precondition(isOrdered, "changes are put in order before they are read")
    try bytes.withUnsafeBytes { bytes in
      for index in items.indices {
        let item = items[index]
        if index + 1 < items.count, items[index + 1].head == item.head,
          EntryBatch.compare(item, items[index + 1], in: bytes) == 0
        {
          continue
        }
        let value = item.start + Int(item.keyCount)
        try body(
          Change(
            key: EntryBatch.key(of: item, in: bytes),
            value: UnsafeRawBufferPointer(rebasing: bytes[value..<value + Int(item.valueCount)]),
            kind: item.kind))
      }
    }
  }

  @inline(__always)
  private static func precedes(
    _ left: Item, _ right: Item, in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    if left.head != right.head { return left.head < right.head }
    let order = compare(left, right, in: bytes)
    return order == 0 ? left.start < right.start : order < 0
  }

  /// The order of two keys with equal heads.
  @inline(__always)
  private static func compare(
    _ left: Item, _ right: Item, in bytes: UnsafeRawBufferPointer
  ) -> Int {
    // The heads are equal, so in keys of numbers and references the last eight bytes have all that can differ.
    if left.keyCount == right.keyCount, (8...16).contains(left.keyCount) {
      let (first, second) = (tail(of: left, in: bytes), tail(of: right, in: bytes))
      return first == second ? 0 : first < second ? -1 : 1
    }
    return KeyEncoding.compare(key(of: left, in: bytes), key(of: right, in: bytes))
  }

  /// The last eight bytes of a key as a number.
  @inline(__always)
  private static func tail(of item: Item, in bytes: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(
      bigEndian: bytes.loadUnaligned(
        fromByteOffset: item.start &+ Int(item.keyCount) &- 8, as: UInt64.self))
  }

  private static func key(
    of item: Item, in bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start + Int(item.keyCount)])
  }
}
