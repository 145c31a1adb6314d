// SPDX-License-Identifier: Apache-2.0

/// Where the slots of an entity are in the memory of its rows, worked out from the superentity downwards.
///
/// Slots are counted from a word in the middle of a row:
///
/// | before it | from it on |
/// |---|---|
/// | what a superentity has and no class numbers: wider values, hidden ones | 64 bits, 64 cells, 64 bits, ... |
///
/// A property has the cell of its number in the entity's class, so an accessor knows the place of a number, a date or
/// a truth value when it is compiled. Both sides grow outwards, so that a subentity moves nothing of its superentity.
/// What has no number (elements of composites, positions) takes cells that no property uses, as those of relationships
/// to many; after them, cells of its own. These, and the values of more than eight bytes, are behind all cells in an
/// entity without subentities, so that such a row has nothing in front.
struct SlotPlacement {
  /// The slots so far, those of the superentity first.
  private(set) var slots: [RowSlot] = []
  /// The words before the one from which slots are counted.
  private(set) var leadCount = 0
  /// The words from that one on.
  private(set) var bodyCount = 1
  /// The numbers that the classes so far give to properties.
  private var numberCount = 0

  /// Adds what one entity adds to its superentity.
  ///
  /// - Parameters:
  ///   - own: The kind of each slot, and the number that its property has in the class.
  ///   - numberCount: The properties that the class numbers, inherited ones included.
  ///   - hasSubentities: Whether others go on from here.
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

  /// The bits of those that have a number of their own in the class.
  private func numberedBits(_ numbers: [Int?], below count: Int) -> [NullBit?] {
    var taken: Set<Int> = []
    return numbers.map { number in
      // A class that is no subclass of the superentity's may give one number to two properties.
      guard let number, number >= numberCount, number < count, taken.insert(number).inserted else {
        return nil
      }
      return NullBit(cell: number)
    }
  }

  /// Gives cells before the beginning to those that have none, with bits before them.
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

  /// The bit of a slot, which is also the place of its cell.
  private struct NullBit {
    /// The number of the cell; nil when it is before the beginning.
    var cell: Int?
    /// The word.
    var word: Int
    var bit: Int

    init(cell: Int?, word: Int, bit: Int) {
      self.cell = cell
      self.word = word
      self.bit = bit
    }

    /// Where the cell is.
    var cellPlace: Int { word + 1 + bit }

    init(cell: Int) {
      self.init(cell: cell, word: cell / 64 * 65, bit: cell % 64)
    }
  }
}
