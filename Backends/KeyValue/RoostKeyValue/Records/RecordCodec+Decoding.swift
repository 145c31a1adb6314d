// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

extension RecordCodec {
  /// Reads a row.
  ///
  /// - Parameters:
  ///   - bytes: The result of ``encode(_:)``.
  ///   - key: The record's key.
  ///   - selection: The slots to read, made by this codec; the other slots are nil. nil reads all slots.
  ///   - isChecked: Whether ``check(_:key:)`` has already verified the bytes.
  /// - Throws: `corruptStore` when the bytes are not those of a record with this key.
  package func decode(
    _ bytes: UnsafeRawBufferPointer, key: Int64, selection: RecordSelection? = nil,
    isChecked: Bool = false
  ) throws -> Row {
    if !isChecked { try check(bytes, key: key) }
    let selection = selection ?? wholeRow
    let row = Row(
      layout: layout, key: key, version: load(bytes, at: 8, as: Int64.self),
      tailCount: tailCount(selection, bytes))
    if selection.defaults != nil { selection.fillMissing(row) }
    for step in selection.steps where bytes[step.nullByte] & step.nullBit == 0 {
      guard read(step, bytes, row) else { throw corrupt(key) }
    }
    return row
  }

  /// Reads some slots of a record, and its version, into a reused row; slots that are not selected stay as they are.
  ///
  /// - Parameters: As for ``decode(_:key:selection:isChecked:)``; the bytes have been checked.
  package func fill(
    _ row: Row, from bytes: UnsafeRawBufferPointer, key: Int64, selection: RecordSelection
  ) throws {
    let version = load(bytes, at: 8, as: Int64.self)
    row.storage.withUnsafeMutablePointerToHeader { header in
      header.pointee.key = key
      header.pointee.version = version
    }
    if !selection.missing.isEmpty { selection.fillMissing(row) }
    if let numbers = selection.numbers {
      guard let start = bytes.baseAddress, numbers.read(start, into: row.base) else {
        throw corrupt(key)
      }
      return
    }
    for step in selection.steps {
      if bytes[step.nullByte] & step.nullBit != 0 {
        row.setNull(step.slot)
      } else if !read(step, bytes, row) {
        throw corrupt(key)
      }
    }
  }

  /// Checks that bytes are those of a record: whole, unchanged and its own.
  ///
  /// - Throws: `corruptStore` when they are not.
  package func check(_ bytes: UnsafeRawBufferPointer, key: Int64) throws {
    guard bytes.count >= fixedCount, bytes[0] == RecordFormat.version, bytes[1] == 0,
      load(bytes, at: 2, as: UInt16.self) == formatNumber,
      load(bytes, at: 4, as: UInt32.self) == RecordCodec.checksum(bytes, key: key)
    else { throw corrupt(key) }
    var start = fixedCount
    for offset in endOffsets {
      let end = Int(load(bytes, at: offset, as: UInt32.self))
      guard end >= start, end <= bytes.count else { throw corrupt(key) }
      start = end
    }
    guard start == bytes.count else { throw corrupt(key) }
  }

  /// Reads one value; false when the bytes are none.
  @inline(__always)
  private func read(
    _ step: RecordSelection.Step, _ bytes: UnsafeRawBufferPointer, _ row: Row
  ) -> Bool {
    let offset = step.offset
    switch step.slot.kind {
    case .integer, .reference, .position:
      row.setInteger(load(bytes, at: offset, as: Int64.self), at: step.slot)
    case .boolean:
      guard bytes[offset] <= 1 else { return false }
      row.setInteger(Int64(bytes[offset]), at: step.slot)
    case .double, .date:
      let number = Double(bitPattern: load(bytes, at: offset, as: UInt64.self))
      guard !number.isNaN else { return false }
      row.setDouble(number, at: step.slot)
    case .uuid:
      row.setUUID(
        UUID(uuid: bytes.loadUnaligned(fromByteOffset: offset, as: uuid_t.self)), at: step.slot)
    case .decimal:
      guard let decimal = decimal(bytes, at: offset) else { return false }
      row.setDecimal(decimal, at: step.slot)
    case .string: return row.setText(variable(step, bytes), at: step.slot)
    case .uri:
      guard let text = text(step, bytes), let url = URL(string: text) else { return false }
      row.setURI(url, at: step.slot)
    case .data: row.setData(Data(variable(step, bytes)), at: step.slot)
    case .transformable:
      row.setTransformable(
        TransformableValue(object: nil, encoded: Data(variable(step, bytes))), at: step.slot)
    }
    return true
  }

  /// Returns the bytes of a variable-size value; the check has verified the order of the end offsets.
  private func variable(
    _ step: RecordSelection.Step, _ bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let start = step.startOffset.map { Int(load(bytes, at: $0, as: UInt32.self)) } ?? fixedCount
    let end = Int(load(bytes, at: step.offset, as: UInt32.self))
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// The bytes that the texts of a record need in a row's tail.
  private func tailCount(_ selection: RecordSelection, _ bytes: UnsafeRawBufferPointer) -> Int {
    selection.texts.reduce(0) { $0 + Row.tailCount(ofText: variable($1, bytes).count) }
  }

  private func text(
    _ step: RecordSelection.Step, _ bytes: UnsafeRawBufferPointer
  ) -> String? {
    String(utf8: variable(step, bytes))
  }

  private func decimal(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Decimal? {
    guard bytes[offset + 1] <= 1 else { return nil }
    let low = UInt128(load(bytes, at: offset + 2, as: UInt64.self))
    let high = UInt128(load(bytes, at: offset + 10, as: UInt64.self))
    let parts = DecimalParts(
      isNegative: bytes[offset + 1] == 1, exponent: Int(Int8(bitPattern: bytes[offset])),
      mantissa: high << 64 | low)
    return parts.decimal
  }

  @inline(__always)
  private func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, as type: Number.Type
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  private func corrupt(_ key: Int64) -> PersistenceError {
    PersistenceError(
      .corruptStore, "The record \(RecordKey.sequence(of: key)) is damaged.",
      entityName: layout.entity.name)
  }
}
