// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

extension RecordCodec {
  /// The bytes that a row takes.
  ///
  /// - Throws: `limitExceeded` when they are 4 GiB or more, `transformation` when a transformable value has no bytes.
  package func byteCount(of row: Row) throws -> Int {
    var count = fixedCount
    for field in fields where field.kind.isOfVariableSize {
      guard let slot = field.slot, !row.isNull(slot) else { continue }
      count += try variableCount(of: row, slot)
    }
    guard count <= UInt32.max else {
      throw PersistenceError(
        .limitExceeded, "A record has 4 GiB or more.", entityName: layout.entity.name)
    }
    return count
  }

  /// Returns the bytes of a row.
  ///
  /// - Throws: `limitExceeded` when they are 4 GiB or more, `transformation` when a transformable value has no bytes.
  public func encode(_ row: Row) throws -> [UInt8] {
    let count = try byteCount(of: row)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      encode(row, into: UnsafeMutableRawBufferPointer(buffer))
      initializedCount = count
    }
  }

  /// Writes the bytes of a row.
  ///
  /// - Parameter bytes: The output, with exactly ``byteCount(of:)`` bytes.
  package func encode(_ row: Row, into bytes: UnsafeMutableRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[..<fixedCount])
      .initializeMemory(as: UInt8.self, repeating: 0)
    bytes[0] = RecordFormat.version
    store(formatNumber, in: bytes, at: 2)
    store(row.version, in: bytes, at: 8)
    var end = fixedCount
    for (number, field) in fields.enumerated() {
      guard let slot = field.slot, !row.isNull(slot) else {
        bytes[RecordFormat.headerCount + number / 8] |= 1 << UInt8(number % 8)
        if field.kind.isOfVariableSize { store(UInt32(end), in: bytes, at: field.offset) }
        continue
      }
      write(row, slot, at: field.offset, end: &end, to: bytes)
    }
    store(RecordCodec.checksum(UnsafeRawBufferPointer(bytes), key: row.key), in: bytes, at: 4)
  }

  private func write(
    _ row: Row, _ slot: RowSlot, at offset: Int, end: inout Int,
    to bytes: UnsafeMutableRawBufferPointer
  ) {
    switch slot.kind {
    case .integer, .reference, .position: store(row.integer(slot), in: bytes, at: offset)
    case .boolean: bytes[offset] = row.integer(slot) == 0 ? 0 : 1
    case .double, .date: store(row.double(slot).bitPattern, in: bytes, at: offset)
    case .uuid:
      withUnsafeBytes(of: row.uuid(slot).uuid) { copy($0, to: bytes, at: offset) }
    case .decimal:
      let parts = DecimalParts(row.decimal(slot))
      bytes[offset] = UInt8(bitPattern: Int8(clamping: parts.exponent))
      bytes[offset + 1] = parts.isNegative ? 1 : 0
      store(UInt64(truncatingIfNeeded: parts.mantissa), in: bytes, at: offset + 2)
      store(UInt64(truncatingIfNeeded: parts.mantissa >> 64), in: bytes, at: offset + 10)
    case .string:
      RowMemory.withUTF8(row.base, slot) {
        append(UnsafeRawBufferPointer($0), end: &end, to: bytes)
      }
    case .uri: writeText(row.uri(slot)?.absoluteString ?? "", end: &end, to: bytes)
    case .data: row.data(slot).withUnsafeBytes { append($0, end: &end, to: bytes) }
    case .transformable:
      row.transformable(slot)?.encoded?.withUnsafeBytes { append($0, end: &end, to: bytes) }
    }
    if slot.kind.isOfVariableSize { store(UInt32(end), in: bytes, at: offset) }
  }

  private func variableCount(of row: Row, _ slot: RowSlot) throws -> Int {
    switch slot.kind {
    case .string: return RowMemory.withUTF8(row.base, slot) { $0.count }
    case .uri: return row.uri(slot)?.absoluteString.utf8.count ?? 0
    case .data: return row.data(slot).count
    default:
      guard let encoded = row.transformable(slot)?.encoded else {
        throw PersistenceError(
          .transformation, "A transformable value was not made into bytes.",
          entityName: layout.entity.name, key: layout.names[slot.index])
      }
      return encoded.count
    }
  }

  private func writeText(
    _ text: String, end: inout Int, to bytes: UnsafeMutableRawBufferPointer
  ) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), end: &end, to: bytes) }
  }

  private func append(
    _ value: UnsafeRawBufferPointer, end: inout Int, to bytes: UnsafeMutableRawBufferPointer
  ) {
    copy(value, to: bytes, at: end)
    end += value.count
  }

  private func copy(
    _ value: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + value.count])
      .copyMemory(from: value)
  }

  private func store<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number, in bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) {
    bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
  }

  /// The checksum of a record: of its key, so that a record in another's place is found, and of all bytes but those of
  /// the checksum.
  static func checksum(_ bytes: UnsafeRawBufferPointer, key: Int64) -> UInt32 {
    // The checksum is the second half of the first word.
    let word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) & 0xFFFF_FFFF
    let sum = Checksum.sum(
      UnsafeRawBufferPointer(rebasing: bytes[8...]), seed: UInt64(bitPattern: key) ^ word &<< 32)
    return UInt32(truncatingIfNeeded: sum ^ sum &>> 32)
  }
}
