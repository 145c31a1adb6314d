// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A hash table of an entity's property names, keyed by the bytes of the name.
///
/// Keyed access uses few names, again and again. A look-up neither hashes nor compares strings: a name of up to 15
/// bytes is two words, a longer one is identified by its length and its first and last bytes. A name that is not
/// found here falls back to a look-up by string.
struct KeyTable: Sendable {
  /// The entry of a name.
  struct Entry: Sendable {
    fileprivate let words: (UInt64, UInt64)
    /// The slot of the value; meaningless for a relationship.
    let slot: RowSlot
    /// The index of the attribute in the binding's list, or the relationship's ordinal; negative for an element of a
    /// composite, which has no index of its own.
    let number: Int32
    fileprivate let role: Role

    /// Whether the slot holds the value itself, of an attribute or of an element of a composite.
    @inline(__always) var isPlain: Bool { role == .plain }
    /// Whether the name is that of a to-one relationship.
    @inline(__always) var isToOne: Bool { role == .toOne }
    /// Whether the name is that of an ordered to-many relationship.
    var isOrdered: Bool { role == .ordered }
  }

  fileprivate enum Role: UInt8 {
    case free, plain, toOne, ordered, other
  }

  // Written by `init` only and, like the slot tables, never freed: a look-up counts no references.
  private nonisolated(unsafe) let entries: UnsafePointer<Entry>
  /// The names, by table index.
  // As above: written by `init` alone, and never freed.
  private nonisolated(unsafe) let names: UnsafePointer<String>
  private let mask: Int

  init(
    attributes: [AttributeDescription], relationships: [RelationshipDescription],
    layout: RowLayout
  ) {
    var known: [(name: String, slot: RowSlot, number: Int, role: Role)] = []
    let none = RowSlot(offset: 0, nullOffset: 0, bit: 0, index: 0, kind: .integer)
    for (number, attribute) in attributes.enumerated() {
      let isPlain = attribute.slot != nil && attribute.slot?.kind != .transformable
      known.append((attribute.name, attribute.slot ?? none, number, isPlain ? .plain : .other))
    }
    for relationship in relationships {
      let role = !relationship.isToMany ? Role.toOne : relationship.isOrdered ? .ordered : .other
      known.append((relationship.name, none, relationship.ordinal, role))
    }
    for (content, slot) in zip(layout.contents, layout.slots) {
      guard case .attribute(_, let name) = content, name.utf8.contains(UInt8(ascii: ".")),
        slot.kind != .transformable
      else { continue }
      known.append((name, slot, -1, .plain))
    }
    var size = 8
    while size < known.count * 2 { size *= 2 }
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    entries.initialize(
      repeating: Entry(words: (0, 0), slot: none, number: -1, role: .free), count: size)
    let names = UnsafeMutablePointer<String>.allocate(capacity: size)
    names.initialize(repeating: "", count: size)
    for property in known {
      let name = KeyTable.native(property.name)
      let words = KeyTable.words(of: name)
      var place = KeyTable.hash(words) & (size - 1)
      while entries[place].role != .free { place = (place + 1) & (size - 1) }
      entries[place] = Entry(
        words: words, slot: property.slot, number: Int32(property.number), role: property.role)
      names[place] = name
    }
    self.entries = UnsafePointer(entries)
    mask = size - 1
    self.names = UnsafePointer(names)
  }

  /// Returns the entry of a name; nil for a name that the entity does not have, and for some that it has.
  @inline(__always)
  func entry(for key: String) -> Entry? {
    let words = KeyTable.words(of: key)
    var place = KeyTable.hash(words) & mask
    while entries[place].role != .free {
      if entries[place].words == words, isName(key, at: place, words) { return entries[place] }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Whether the name at a table index, whose words equal those of the key, is the key.
  @inline(__always)
  private func isName(_ key: String, at place: Int, _ words: (UInt64, UInt64)) -> Bool {
    // Two live strings with the same words are equal.
    KeyTable.isShort(words) || names[place] == key
  }
}

// MARK: - Words

extension KeyTable {
  /// The two words of a short string, which hold its text; for other strings, words that differ for most texts.
  @inline(__always)
  private static func words(of key: String) -> (UInt64, UInt64) {
    #if _pointerBitWidth(_64)
    let words = unsafeBitCast(key, to: (UInt64, UInt64).self)
    return isShort(words) ? words : longWords(of: key)
    #else
    return longWords(of: key)
    #endif
  }

  /// Whether the words are those of a small string, which holds its text inline: the same bit on every platform with
  /// 64-bit addresses. If that changed, names would be looked up by their ends, and compared.
  @inline(__always)
  private static func isShort(_ words: (UInt64, UInt64)) -> Bool {
    words.1 & 0x2000_0000_0000_0000 != 0
  }

  @inline(never)
  private static func longWords(of key: String) -> (UInt64, UInt64) {
    var key = key
    return key.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      guard raw.count >= 8 else { return (0, UInt64(raw.count)) }
      let first = raw.loadUnaligned(as: UInt64.self)
      let last = raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
      // The bit of small strings stays clear.
      return (first ^ last &* 0x9E37_79B9_7F4A_7C15, UInt64(raw.count))
    }
  }

  @inline(__always)
  private static func hash(_ words: (UInt64, UInt64)) -> Int {
    let mixed = (words.0 ^ (words.1 &* 0x9E37_79B9_7F4A_7C15)) &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: mixed >> 33)
  }

  /// The same name, in the small-string form if it is short.
  private static func native(_ name: String) -> String {
    let count = name.utf8.count
    if count > 15 || isShort(unsafeBitCast(name, to: (UInt64, UInt64).self)) { return name }
    return String(decoding: Array(name.utf8), as: UTF8.self)
  }
}
