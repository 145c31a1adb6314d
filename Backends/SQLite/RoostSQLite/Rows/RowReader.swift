// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL

/// Decodes the columns of a result directly into the slots of one entity's rows, without intermediate values.
struct RowReader {
  private let layout: RowLayout
  private let steps: ContiguousArray<Step>
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
  /// - Parameter columns: The index of the result's column for each stored slot, in the slots' order.
  init(_ entity: SQLEntity, columns: [Int32]) {
    layout = entity.entity.layout
    steps = ContiguousArray(
      zip(entity.storedSlots, columns).map { Step(column: $1, slot: $0, mask: $0.mask) })
    hasOneBitmapWord = entity.storedSlots.allSatisfy { $0.firstWordBit != nil }
  }

  /// Decodes the current row of a statement.
  func row(from statement: SQLiteStatement, key: Int64, version: Int64) throws -> Row {
    try steps.withUnsafeBufferPointer { steps in
      // Each column is looked up once, and its value read several times. Such a value is unprotected in SQLite's
      // terms: no other thread may use the connection meanwhile, and none does, because a connection is lent to one
      // reader at a time.
      try withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: steps.count) { values in
        var tailCount = 0
        for index in steps.indices {
          let value = sqlite3_column_value(statement.handle, steps[index].column)
          values.initializeElement(at: index, to: value)
          if steps[index].slot.kind == .string {
            tailCount &+= Row.tailCount(ofText: Int(sqlite3_value_bytes(value)))
          }
        }
        let row = Row(layout: layout, key: key, version: version, tailCount: tailCount)
        try fill(row, steps, UnsafeBufferPointer(values))
        return row
      }
    }
  }

  /// Writes values into the slots of a fresh row.
  @inline(__always)
  private func fill(
    _ row: Row, _ steps: UnsafeBufferPointer<Step>, _ values: UnsafeBufferPointer<OpaquePointer?>
  ) throws {
    let base = row.base
    var present: UInt64 = 0
    for (step, value) in zip(steps, values) where try read(step, value, into: row, base) {
      if hasOneBitmapWord {
        present |= step.mask
      } else {
        RowMemory.markNull(base, step.slot, false)
      }
    }
    if hasOneBitmapWord {
      let nulls = base.load(as: UInt64.self)
      base.storeBytes(of: nulls & ~present, as: UInt64.self)
    }
  }

  /// Reads one value; returns false for NULL, for which the memory of a fresh row needs no change.
  @inline(__always)
  private func read(
    _ step: Step, _ value: OpaquePointer?, into row: Row, _ base: UnsafeMutableRawPointer
  ) throws -> Bool {
    let place = base + Int(step.slot.offset)
    switch step.slot.kind {
    case .integer, .boolean, .reference, .position:
      let number = sqlite3_value_int64(value)
      if number == 0, sqlite3_value_type(value) == SQLITE_NULL { return false }
      place.storeBytes(of: number, as: Int64.self)
    case .double, .date:
      let number = sqlite3_value_double(value)
      if number == 0, sqlite3_value_type(value) == SQLITE_NULL { return false }
      place.storeBytes(of: number, as: Double.self)
    case .string:
      guard let start = sqlite3_value_text(value) else { return false }
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      guard row.placeText(bytes, base, step.slot) else {
        throw damaged(step, row.key, "is no valid UTF-8")
      }
    case .data, .uuid, .decimal, .uri, .transformable:
      guard sqlite3_value_type(value) != SQLITE_NULL else { return false }
      try readBytes(step, value, place, key: row.key)
    }
    return true
  }

  private func readBytes(
    _ step: Step, _ value: OpaquePointer?, _ place: UnsafeMutableRawPointer, key: Int64
  ) throws {
    let start = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    switch step.slot.kind {
    case .data:
      place.initializeMemory(as: Data.self, to: Data(bytes))
    case .uuid:
      guard bytes.count == 16 else { throw damaged(step, key, "is no UUID") }
      place.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(place), byteCount: 16)
    case .decimal:
      guard let decimal = DecimalCode.decode(bytes) else {
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
