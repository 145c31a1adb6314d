// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// The fields of one record that a server has sent, in a result or in a COPY.
protocol RecordFields {
  /// The bytes of a field, valid until the next record; nil for null.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer?
  /// The number of bytes of a field; 0 for null.
  func count(_ column: Int32) -> Int
}

extension RecordFields {
  /// Returns the number in a bigint field; 0 for null.
  @inline(__always)
  func integer(_ column: Int32) -> Int64 {
    guard let bytes = bytes(column), bytes.count == 8 else { return 0 }
    return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
  }
}

/// A receiver of a request's records, one after the other.
protocol RecordTaker {
  /// The number of records that were taken.
  var count: Int { get }
  mutating func take(_ fields: some RecordFields) throws
}

/// The fields of one row of a result.
struct ResultFields: RecordFields {
  let result: OpaquePointer
  let row: Int32

  @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? { ResultField.bytes(result, row, column) }

  @inline(__always)
  func count(_ column: Int32) -> Int { Int(PQgetlength(result, row, column)) }
}
