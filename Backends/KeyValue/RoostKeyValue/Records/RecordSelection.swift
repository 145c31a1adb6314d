// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The fields of a record to read. Each step is self-contained: one value can be read without another. The default
/// values of missing fields are here too.
package final class RecordSelection: Sendable {
  struct Step: Sendable {
    var slot: RowSlot
    /// The offset of the field's place.
    var offset: Int
    /// The offset of the place whose end offset is the start of this field; nil when the field begins after all
    /// places.
    var startOffset: Int?
    /// The byte of the field's nil bit, and the bit.
    var nullByte: Int
    var nullBit: UInt8
  }

  let steps: [Step]
  /// The steps that read strings.
  let texts: [Step]
  /// The steps in a compact form when all fields are numbers.
  let numbers: NumberSteps?
  /// The length of the record prefix that contains the places of all selected fields.
  package let byteCount: Int
  /// The selected slots that the format has no fields for.
  let missing: [RowSlot]
  /// Default values of the missing slots; nil when all of them are nil.
  let defaults: Row?

  init(
    _ slots: RowSlots, of fields: [RecordCodec.Field], in layout: RowLayout, _ defaults: Row?
  ) {
    var steps: [Step] = []
    var startOffset: Int?
    var byteCount = RecordFormat.headerCount
    for (number, field) in fields.enumerated() {
      if let slot = field.slot, slots.contains(slot) {
        steps.append(
          Step(
            slot: slot, offset: field.offset, startOffset: startOffset,
            nullByte: RecordFormat.headerCount + number / 8, nullBit: 1 << UInt8(number % 8)))
        byteCount = max(byteCount, field.offset + field.kind.fieldWidth)
      }
      if field.kind.isOfVariableSize { startOffset = field.offset }
    }
    let present = Set(fields.compactMap { $0.slot?.index })
    let missing = layout.storedSlots.filter { slots.contains($0) && !present.contains($0.index) }
    self.missing = missing
    self.defaults = defaults.flatMap { row in missing.contains { !row.isNull($0) } ? row : nil }
    self.steps = steps
    texts = steps.filter { $0.slot.kind == .string }
    self.byteCount = byteCount
    numbers = NumberSteps(steps)
  }

  deinit {
    numbers?.deallocate()
  }

  /// Sets the slots that the format has no fields for, in a reused row.
  func fillMissing(_ row: Row) {
    for slot in missing {
      if let defaults { row.copySlot(slot, from: defaults) } else { row.setNull(slot) }
    }
  }
}

/// Steps that copy numbers from a record into a row, without regard to their types in the model.
struct NumberSteps: @unchecked Sendable {
  // Sendable: the memory is written by `init` only. It is plain memory, so that a record costs no reference to it;
  // the owning selection frees it.

  private struct Step: BitwiseCopyable {
    /// Where the field's place in the record is.
    var offset: Int32
    /// Where the slot is in the row.
    var slotOffset: Int32
    /// The byte of the field's nil bit in the record, and the bit.
    var nullByte: Int32
    var nullBit: UInt8
    var width: Width
    /// The slot's bit in the row.
    var mask: UInt64
  }

  fileprivate enum Width: UInt8, BitwiseCopyable {
    case integer, double, byte
  }

  private let steps: UnsafeMutablePointer<Step>
  private let count: Int
  /// The bits of all slots.
  private let mask: UInt64

  /// - Returns: nil when a field is no number, or its bit is not in the first word.
  init?(_ fields: [RecordSelection.Step]) {
    let steps = fields.compactMap { field -> Step? in
      guard let mask = field.slot.firstWordBit, let width = Width(field.slot.kind) else {
        return nil
      }
      return Step(
        offset: Int32(field.offset), slotOffset: field.slot.offset, nullByte: Int32(field.nullByte),
        nullBit: field.nullBit, width: width, mask: mask)
    }
    guard steps.count == fields.count else { return nil }
    count = steps.count
    mask = steps.reduce(0) { $0 | $1.mask }
    self.steps = .allocate(capacity: steps.count)
    _ = UnsafeMutableBufferPointer(start: self.steps, count: count).initialize(from: steps)
  }

  func deallocate() {
    steps.deallocate()
  }

  /// Reads the numbers.
  ///
  /// - Parameters:
  ///   - record: The bytes of a record that was found whole.
  ///   - base: The beginning of the memory of a row of the codec's layout.
  /// - Returns: false when a value is none that is ever written.
  @inline(__always)
  func read(_ record: UnsafeRawPointer, into base: UnsafeMutableRawPointer) -> Bool {
    var nulls: UInt64 = 0
    for index in 0..<count {
      let step = steps[index]
      var word: UInt64 = 0
      if record.load(fromByteOffset: Int(step.nullByte), as: UInt8.self) & step.nullBit != 0 {
        nulls |= step.mask
      } else if step.width == .byte {
        word = UInt64(record.load(fromByteOffset: Int(step.offset), as: UInt8.self))
        guard word <= 1 else { return false }
      } else {
        word = UInt64(
          littleEndian: record.loadUnaligned(fromByteOffset: Int(step.offset), as: UInt64.self))
        guard step.width == .integer || !Double(bitPattern: word).isNaN else { return false }
      }
      base.storeBytes(of: word, toByteOffset: Int(step.slotOffset), as: UInt64.self)
    }
    let others = base.load(as: UInt64.self) & ~mask
    base.storeBytes(of: others | nulls, as: UInt64.self)
    return true
  }
}

extension NumberSteps.Width {
  fileprivate init?(_ kind: SlotKind) {
    switch kind {
    case .integer, .reference, .position: self = .integer
    case .double, .date: self = .double
    case .boolean: self = .byte
    case .string, .data, .uuid, .decimal, .uri, .transformable: return nil
    }
  }
}
