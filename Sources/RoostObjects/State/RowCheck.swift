// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The fastest check of an object's attributes: those with only their type's rule are checked together, in the memory
/// of the row.
struct RowCheck {
  /// The indices of the attributes that this check does not cover.
  let others: [Int]
  /// A bit mask of the slots that must not be nil.
  private let required: UInt64
  private let numbers: [(offset: Int, range: ClosedRange<Int64>)]
  private let doubles: [Int]
  private let strings: [RowSlot]

  /// - Parameter checks: The checks of the single attributes.
  init(_ checks: [AttributeCheck]) {
    var others: [Int] = []
    var required: UInt64 = 0
    var numbers: [(offset: Int, range: ClosedRange<Int64>)] = []
    var doubles: [Int] = []
    var strings: [RowSlot] = []
    for (index, check) in checks.enumerated() {
      guard let slot = check.slot, let bit = slot.firstWordBit else {
        others.append(index)
        continue
      }
      switch slot.kind {
      case .boolean, .uuid: break
      case .integer:
        if check.range != Int64.min...Int64.max { numbers.append((Int(slot.offset), check.range)) }
      case .double, .date: doubles.append(Int(slot.offset))
      case .string: strings.append(slot)
      default:
        others.append(index)
        continue
      }
      if check.isRequired { required |= bit }
    }
    self.others = others
    self.required = required
    self.numbers = numbers
    self.doubles = doubles
    self.strings = strings
  }

  /// Whether all covered values are certainly valid. A nil property has zero or an empty string in its slot.
  func accepts(_ row: Row) -> Bool {
    let base = row.base
    return withExtendedLifetime(row) {
      if base.load(as: UInt64.self) & required != 0 { return false }
      for number in numbers {
        let value = base.load(fromByteOffset: number.offset, as: Int64.self)
        if !number.range.contains(value) { return false }
      }
      for offset in doubles {
        let value = base.load(fromByteOffset: offset, as: Double.self)
        if value != value { return false }
      }
      for slot in strings where !AttributeCheck.hasNoNUL(base, slot) { return false }
      return true
    }
  }
}
