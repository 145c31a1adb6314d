// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL

/// The values of a statement's parameters in binary format, with their types.
struct Parameters {
  /// The type OIDs.
  private(set) var types: [UInt32] = []
  /// The values as fields, one after the other.
  let buffer: BinaryBuffer

  init(capacity: Int = 64) {
    buffer = BinaryBuffer(capacity: capacity)
  }

  init(_ values: [SQLValue]) throws {
    self.init(capacity: values.count * 24)
    for value in values { try append(value) }
  }

  var count: Int { types.count }

  mutating func append(_ value: SQLValue) throws {
    switch value {
    case .null: appendNull(.text)
    case .integer(let number): append(number)
    case .real(let number):
      types.append(PostgreSQLType.double.number)
      buffer.appendField(number)
    case .text(let text): append(text)
    case .blob(let data):
      types.append(PostgreSQLType.bytes.number)
      try FieldLimit.check(data.count)
      buffer.appendField(data)
    case .boolean(let truth):
      types.append(PostgreSQLType.boolean.number)
      buffer.appendField(truth)
    case .uuid(let uuid): append(uuid)
    case .decimal(let decimal):
      types.append(PostgreSQLType.numeric.number)
      buffer.appendField(decimal)
    case .list(let list): try append(list)
    }
  }

  mutating func appendNull(_ type: PostgreSQLType) {
    types.append(type.number)
    buffer.appendNull()
  }

  mutating func append(_ number: Int64) {
    types.append(PostgreSQLType.integer.number)
    buffer.appendField(number)
  }

  mutating func append(_ text: String) {
    types.append(PostgreSQLType.text.number)
    buffer.appendField(text)
  }

  mutating func append(_ uuid: UUID) {
    types.append(PostgreSQLType.uuid.number)
    buffer.appendField(uuid)
  }

  /// Appends the value of a slot.
  mutating func append(_ slot: RowSlot, of row: Row) throws {
    types.append(PostgreSQLType(slot.kind).number)
    try RowWriter.append(slot, of: row, to: buffer)
    try FieldLimit.check(buffer.count)
  }

  /// Appends an array whose elements `body` writes.
  mutating func appendList(
    of type: PostgreSQLType, count: Int, hasNulls: Bool = true,
    _ body: (BinaryBuffer) throws -> Void
  ) throws {
    types.append(type.listNumber)
    let length = buffer.count
    buffer.append(0 as Int32)
    buffer.append(count == 0 ? 0 as Int32 : 1)
    buffer.append(hasNulls ? 1 as Int32 : 0)
    buffer.append(type.number)
    if count > 0 {
      buffer.append(Int32(count))
      buffer.append(1 as Int32)
    }
    try body(buffer)
    // The array, and the message with all parameters before it.
    try FieldLimit.check(buffer.count)
    buffer.store(Int32(buffer.count - length - 4), at: length)
  }

  /// Appends an array of numbers.
  mutating func append(_ numbers: [Int64]) throws {
    try appendList(of: .integer, count: numbers.count, hasNulls: false) { buffer in
      for number in numbers { buffer.appendField(number) }
    }
  }

  private mutating func append(_ list: SQLList) throws {
    var single = Parameters()
    if let first = list.values.first { try single.append(first) }
    let known: [PostgreSQLType] = [.boolean, .bytes, .text, .double, .numeric, .uuid]
    let type = known.first { $0.number == single.types.first } ?? .integer
    try appendList(of: type, count: list.values.count, hasNulls: false) { buffer in
      for value in list.values {
        switch value {
        case .integer(let number): buffer.appendField(number)
        case .real(let number): buffer.appendField(number)
        case .text(let text): buffer.appendField(text)
        case .blob(let data): buffer.appendField(data)
        case .boolean(let truth): buffer.appendField(truth)
        case .uuid(let uuid): buffer.appendField(uuid)
        case .decimal(let decimal): buffer.appendField(decimal)
        case .null, .list: buffer.appendNull()
        }
      }
    }
  }

  /// Calls `body` with the arguments of libpq: a pointer to each value, nil for null, and the values' lengths and
  /// formats.
  func withPointers<Result>(
    _ body: (
      _ values: UnsafePointer<UnsafePointer<CChar>?>, _ lengths: UnsafePointer<Int32>,
      _ formats: UnsafePointer<Int32>
    ) throws -> Result
  ) rethrows -> Result {
    let count = max(types.count, 1)
    return try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) {
      values in
      try withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
        var place = UnsafeRawPointer(buffer.start)
        for index in types.indices {
          let length = Int32(bigEndian: place.loadUnaligned(as: Int32.self))
          place += 4
          let isNull = length < 0
          values.initializeElement(
            at: index, to: isNull ? nil : place.assumingMemoryBound(to: CChar.self))
          numbers.initializeElement(at: index, to: isNull ? 0 : length)
          numbers.initializeElement(at: count + index, to: 1)
          if !isNull { place += Int(length) }
        }
        guard let start = values.baseAddress, let lengths = numbers.baseAddress else {
          preconditionFailure("An allocation of at least one element has an address.")
        }
        return try body(start, lengths, lengths + count)
      }
    }
  }
}

/// The size limit of a PostgreSQL value, and of a message with the parameters of a statement.
enum FieldLimit {
  private static let largest = 1_073_741_823

  /// Throws for larger ones, before anything is sent: a server closes the connection because of such a message.
  ///
  /// - Throws: `limitExceeded`.
  @inline(__always)
  static func check(_ count: Int) throws {
    if count > largest {
      throw PersistenceError(
        .limitExceeded,
        "A value, or the values of one statement together, are larger than PostgreSQL's limit of one "
          + "gigabyte: divide them among several records or saves.")
    }
  }
}
