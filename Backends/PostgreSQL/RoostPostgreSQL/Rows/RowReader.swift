// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL

/// Decodes the fields of binary records directly into the slots of one entity's rows, without intermediate values.
struct RowReader {
  private let layout: RowLayout
  private let steps: ContiguousArray<Step>
  /// The columns that are texts.
  private let textColumns: ContiguousArray<Int32>
  /// Whether the bits of all slots are in one word, which then is written once.
  private let hasOneBitmapWord: Bool

  /// How one column is read.
  private struct Step {
    let column: Int32
    let slot: RowSlot
    /// The slot's bit.
    let mask: UInt64
  }

  /// Plans how to read the stored slots of an entity.
  ///
  /// - Parameter columns: The index of the record's field for each stored slot, in the slots' order.
  init(_ entity: SQLEntity, columns: [Int32]) {
    layout = entity.entity.layout
    steps = ContiguousArray(
      zip(entity.storedSlots, columns).map { Step(column: $1, slot: $0, mask: $0.mask) })
    textColumns = ContiguousArray(steps.filter { $0.slot.kind == .string }.map(\.column))
    hasOneBitmapWord = entity.storedSlots.allSatisfy { $0.firstWordBit != nil }
  }

  /// Decodes a record into a row.
  func row(from fields: some RecordFields, key: Int64, version: Int64) throws -> Row {
    let row = Row(layout: layout, key: key, version: version, tailCount: tailCount(fields))
    let base = row.base
    var present: UInt64 = 0
    try steps.withUnsafeBufferPointer { steps in
      for step in steps where try read(step, fields, into: row, base, key: key) {
        if hasOneBitmapWord {
          present |= step.mask
        } else {
          RowMemory.markNull(base, step.slot, false)
        }
      }
    }
    if hasOneBitmapWord {
      let nulls = base.load(as: UInt64.self)
      base.storeBytes(of: nulls & ~present, as: UInt64.self)
    }
    return row
  }

  /// Returns the number of bytes that the texts of a record need in a row's tail.
  private func tailCount(_ fields: some RecordFields) -> Int {
    var count = 0
    for column in textColumns { count &+= Row.tailCount(ofText: fields.count(column)) }
    return count
  }

  /// Reads one field; returns false for NULL, for which the memory of a fresh row needs no change.
  @inline(__always)
  private func read(
    _ step: Step, _ fields: some RecordFields, into row: Row, _ base: UnsafeMutableRawPointer,
    key: Int64
  ) throws -> Bool {
    guard let bytes = fields.bytes(step.column) else { return false }
    let place = base + Int(step.slot.offset)
    switch step.slot.kind {
    case .integer, .reference, .position, .double, .date:
      guard bytes.count == 8 else { throw damaged(step, key, "is no number") }
      let word = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      place.storeBytes(of: word, as: UInt64.self)
    case .boolean:
      guard bytes.count == 1 else { throw damaged(step, key, "is no truth value") }
      place.storeBytes(of: bytes[0] == 0 ? 0 : 1, as: Int64.self)
    case .string:
      guard row.placeText(bytes, base, step.slot) else {
        throw damaged(step, key, "is no valid UTF-8")
      }
    case .data, .uuid, .decimal, .uri, .transformable:
      try readBytes(step, bytes, place, key: key)
    }
    return true
  }

  private func readBytes(
    _ step: Step, _ bytes: UnsafeRawBufferPointer, _ place: UnsafeMutableRawPointer, key: Int64
  ) throws {
    switch step.slot.kind {
    case .data:
      place.initializeMemory(as: Data.self, to: Data(bytes))
    case .uuid:
      guard bytes.count == 16 else { throw damaged(step, key, "is no UUID") }
      place.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(place), byteCount: 16)
    case .decimal:
      guard case .decimal(let decimal) = NumericCode.decode(bytes) else {
        throw damaged(step, key, "is no decimal")
      }
      place.storeBytes(of: decimal, as: Decimal.self)
    case .uri:
      guard let text = String(utf8: bytes), let url = URL(string: text) else {
        throw damaged(step, key, "is no URI")
      }
      place.initializeMemory(as: URIBox?.self, to: URIBox(url))
    default:
      place.initializeMemory(
        as: TransformableValue?.self, to: TransformableValue(object: nil, encoded: Data(bytes)))
    }
  }

  private func damaged(_ step: Step, _ key: Int64, _ what: String) -> PersistenceError {
    let name = layout.names[step.slot.index]
    return PersistenceError(
      .corruptStore,
      "The stored value of '\(name)' in record \(RecordKey.sequence(of: key)) \(what).",
      entityName: layout.entity.name, key: name)
  }
}
