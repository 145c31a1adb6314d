// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

extension RecordCodec {
  /// Reads a row.
  ///
  /// - Parameters:
  ///   - bytes: What ``encode(_:)`` wrote.
  ///   - key: The record's key.
  ///   - wanted: Which slots are read, by their indices in the layout; the others are nil. All when nil.
  /// - Throws: `corruptStore` when the bytes are not those of a record with this key.
  package func decode(
    _ bytes: UnsafeRawBufferPointer, key: Int64, wanted: Set<Int>? = nil
  ) throws -> Row {
    try checkHead(of: bytes, key: key)
    let row = Row(layout: layout, key: key, version: load(bytes, at: 8, as: Int64.self))
    var start = fixedCount
    for (number, field) in fields.enumerated() {
      var value = start..<start
      if field.kind.isOfVariableSize {
        let end = Int(load(bytes, at: field.offset, as: UInt32.self))
        guard end >= start, end <= bytes.count else { throw corrupt(key) }
        value = start..<end
        start = end
      }
      let isNull = bytes[RecordFormat.headerCount + number / 8] >> UInt8(number % 8) & 1 == 1
      guard !isNull, let slot = field.slot, wanted?.contains(slot.index) ?? true else { continue }
      guard read(slot, at: field.offset, UnsafeRawBufferPointer(rebasing: bytes[value]), bytes, row)
      else { throw corrupt(key) }
    }
    guard start == bytes.count else { throw corrupt(key) }
    return row
  }

  private func checkHead(of bytes: UnsafeRawBufferPointer, key: Int64) throws {
    guard bytes.count >= fixedCount, bytes[0] == RecordFormat.version, bytes[1] == 0,
      Int(load(bytes, at: 2, as: UInt16.self)) == fields.count,
      load(bytes, at: 4, as: UInt32.self) == RecordCodec.checksum(bytes, key: key)
    else { throw corrupt(key) }
  }

  /// Reads one value; false when the bytes are none.
  private func read(
    _ slot: RowSlot, at offset: Int, _ value: UnsafeRawBufferPointer,
    _ bytes: UnsafeRawBufferPointer, _ row: Row
  ) -> Bool {
    switch slot.kind {
    case .integer, .reference, .position:
      row.setInteger(load(bytes, at: offset, as: Int64.self), at: slot)
    case .boolean:
      guard bytes[offset] <= 1 else { return false }
      row.setInteger(Int64(bytes[offset]), at: slot)
    case .double, .date:
      let number = Double(bitPattern: load(bytes, at: offset, as: UInt64.self))
      guard !number.isNaN else { return false }
      row.setDouble(number, at: slot)
    case .uuid:
      row.setUUID(
        UUID(uuid: bytes.loadUnaligned(fromByteOffset: offset, as: uuid_t.self)), at: slot)
    case .decimal:
      guard let decimal = decimal(bytes, at: offset) else { return false }
      row.setDecimal(decimal, at: slot)
    case .string:
      guard let text = String(validating: value, as: UTF8.self) else { return false }
      row.setString(text, at: slot)
    case .uri:
      guard let text = String(validating: value, as: UTF8.self), let url = URL(string: text) else {
        return false
      }
      row.setURI(url, at: slot)
    case .data: row.setData(Data(value), at: slot)
    case .transformable:
      row.setTransformable(TransformableValue(object: nil, encoded: Data(value)), at: slot)
    }
    return true
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
