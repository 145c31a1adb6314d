// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Turns the columns of a dictionary fetch into values.
struct TupleReader {
  private let kinds: [SlotKind]
  private let schema: StoreSchema

  init(_ kinds: [SlotKind], _ schema: StoreSchema) {
    self.kinds = kinds
    self.schema = schema
  }

  /// The types that the result's columns must have.
  var types: [PostgreSQLType] { kinds.map(PostgreSQLType.init) }

  /// Appends the values of one record.
  func append(_ fields: some RecordFields, to values: inout [Value]) throws {
    for (column, kind) in kinds.enumerated() {
      values.append(try value(fields, Int32(column), kind))
    }
  }

  private func value(
    _ fields: some RecordFields, _ column: Int32, _ kind: SlotKind
  ) throws -> Value {
    guard let bytes = fields.bytes(column) else { return .null }
    switch kind {
    case .integer, .position: return .integer(try number(bytes))
    case .boolean: return .boolean(bytes.first != 0)
    case .double:
      // A calculation can result in negative zero, which is stored as zero (value contract).
      let number = Double(bitPattern: UInt64(bitPattern: try number(bytes)))
      return number.isNaN ? .null : .double(number == 0 ? 0 : number)
    case .date:
      let seconds = Double(bitPattern: UInt64(bitPattern: try number(bytes)))
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .string: return .string(try checked(String(validating: bytes, as: UTF8.self)))
    case .uri:
      return .uri(try checked(String(validating: bytes, as: UTF8.self).flatMap(URL.init(string:))))
    case .data: return .data(Data(bytes))
    case .transformable:
      return .transformable(TransformableValue(object: nil, encoded: Data(bytes)))
    case .decimal: return .decimal(try decimal(bytes))
    case .uuid:
      return .uuid(try checked(bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) : nil))
    case .reference:
      return schema.objectID(forKey: try number(bytes)).map(Value.objectID) ?? .null
    }
  }

  private func number(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
    try checked(bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : nil)
  }

  private func decimal(_ bytes: UnsafeRawBufferPointer) throws -> Decimal {
    switch NumericCode.decode(bytes) {
    case .decimal(let decimal): return decimal
    case .damaged: return try checked(nil)
    case .outOfRange:
      throw PersistenceError(.arithmeticOverflow, "A sum is beyond the range of its type.")
    }
  }

  private func checked<Result>(_ value: Result?) throws -> Result {
    guard let value else {
      throw PersistenceError(.corruptStore, "A stored value cannot be read as its type.")
    }
    return value
  }
}

/// The fields of a result.
enum ResultField {
  /// The bytes of a field, valid as long as the result; nil for null.
  @inline(__always)
  static func bytes(
    _ result: OpaquePointer, _ row: Int32, _ column: Int32
  ) -> UnsafeRawBufferPointer? {
    let count = PQgetlength(result, row, column)
    if count == 0, PQgetisnull(result, row, column) != 0 { return nil }
    return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(count))
  }

  /// Returns the number in a bigint field; 0 for null.
  @inline(__always)
  static func integer(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Int64 {
    guard let bytes = bytes(result, row, column), bytes.count == 8 else { return 0 }
    return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
  }

  /// Appends the numbers of a bigint array field without nulls.
  ///
  /// - Throws: `corruptStore` for anything else.
  static func appendIntegers(
    _ result: OpaquePointer, _ row: Int32, _ column: Int32, to numbers: inout [Int64]
  ) throws {
    // The array header: the number of dimensions, whether there are nulls, the element type, the length, the first
    // index. Then each element follows its length.
    let header = 20
    let element = 12
    let bytes = bytes(result, row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    func number(at offset: Int) -> Int {
      Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
    guard PQftype(result, column) == PostgreSQLType.integer.listNumber, bytes.count >= header,
      number(at: 0) == 1, number(at: 4) == 0,
      bytes.count == header + element * number(at: 12)
    else {
      throw PersistenceError(
        .corruptStore, "A table of the store is not as the store has made it.")
    }
    for offset in stride(from: header + 4, to: bytes.count, by: element) {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
      numbers.append(Int64(bigEndian: word))
    }
  }

  /// Returns the text in a field; nil for null and for text that is not UTF-8.
  static func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String? {
    bytes(result, row, column).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
