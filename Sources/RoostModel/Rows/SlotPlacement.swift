// SPDX-License-Identifier: Apache-2.0

/// The placement of an entity's slots in the memory of its rows, computed from the superentity downwards.
///
/// Slot offsets are relative to a word in the middle of a row:
///
/// | before it | from it on |
/// |---|---|
/// | what a superentity has and no class numbers: wider values, hidden ones | 64 bits, 64 cells, 64 bits, ... |
///
/// A property has the cell of its number in the entity's class, so an accessor knows the offset of a number, a date
/// or a Boolean at compile time. Both sides grow outwards, so that a subentity moves nothing of its superentity.
/// Slots without a number (elements of composites, positions) take unused cells, such as those of to-many
/// relationships; after them, cells of their own. These, and values of more than eight bytes, are after all cells in
/// an entity without subentities, so that such a row has nothing in front.
struct SlotPlacement {
  /// The slots so far, those of the superentity first.
  private(set) var slots: [RowSlot] = []
  /// The number of words before the word that slot offsets are relative to.
  private(set) var leadCount = 0
  /// The number of words from that word on.
  private(set) var bodyCount = 1
  /// The number of properties that the classes so far have numbered.
  private var numberCount = 0

  /// Adds the slots that an entity adds to its superentity.
  ///
  /// - Parameters:
  ///   - own: The kind of each slot, and the number that its property has in the class.
  ///   - numberCount: The number of properties that the class numbers, including inherited ones.
  ///   - hasSubentities: Whether subentities extend this placement.
  mutating func add(
    _ own: [(kind: SlotKind, number: Int?)], numberCount count: Int, hasSubentities: Bool
  ) {
    var bits = numberedBits(own.map(\.number), below: count)
    let taken = Set(bits.compactMap { $0?.cell })
    var next = numberCount
    numberCount = max(numberCount, count)
    for index in bits.indices where bits[index] == nil {
      while next < numberCount, taken.contains(next) { next += 1 }
      if next == numberCount, hasSubentities { break }
      bits[index] = NullBit(cell: next)
      next += 1
      if next > numberCount { numberCount = next }
    }
    addLead(&bits)
    bodyCount = bits.reduce(bodyCount) { max($0, ($1?.cellPlace ?? 0) + 1) }
    for (slot, bit) in zip(own, bits) {
      if let bit { append(slot.kind, bit, hasSubentities: hasSubentities) }
    }
  }

  /// Returns the null bits of slots with a number of their own in the class.
  private func numberedBits(_ numbers: [Int?], below count: Int) -> [NullBit?] {
    var taken: Set<Int> = []
    return numbers.map { number in
      // A class that is not a subclass of the superentity's class may assign one number to two properties.
      guard let number, number >= numberCount, number < count, taken.insert(number).inserted else {
        return nil
      }
      return NullBit(cell: number)
    }
  }

  /// Assigns cells before the base word, with null bits before them, to slots without a cell.
  private mutating func addLead(_ bits: inout [NullBit?]) {
    var rest = bits.indices.filter { bits[$0] == nil }[...]
    while !rest.isEmpty {
      let group = rest.prefix(64)
      rest = rest.dropFirst(64)
      leadCount += group.count + 1
      for (bit, index) in group.enumerated() {
        bits[index] = NullBit(cell: nil, word: -leadCount, bit: bit)
      }
    }
  }

  private mutating func append(_ kind: SlotKind, _ bit: NullBit, hasSubentities: Bool) {
    var place = bit.cellPlace
    let width = kind.byteCount / 8
    if width > 1, hasSubentities {
      leadCount += width
      place = -leadCount
    } else if width > 1 {
      place = bodyCount
      bodyCount += width
    }
    slots.append(
      RowSlot(
        offset: Int32(place * 8), nullOffset: Int32(bit.word * 8), bit: UInt8(bit.bit),
        index: UInt16(slots.count), kind: kind))
  }

  /// The null bit of a slot, which also determines its cell.
  private struct NullBit {
    /// The number of the cell; nil when it is before the base word.
    var cell: Int?
    /// The word.
    var word: Int
    var bit: Int

    init(cell: Int?, word: Int, bit: Int) {
      self.cell = cell
      self.word = word
      self.bit = bit
    }

    /// The word offset of the cell.
    var cellPlace: Int { word + 1 + bit }

    init(cell: Int) {
      self.init(cell: cell, word: cell / 64 * 65, bit: cell % 64)
    }
  }
}
