// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL

/// Binds the slots of a row to the parameters of a statement.
enum RowWriter {
  /// Binds one slot.
  ///
  /// - Throws: `transformation` for an object that nobody has turned into bytes.
  static func bind(
    _ slot: RowSlot, of row: Row, to statement: SQLiteStatement, at index: Int32
  ) throws {
    guard !row.isNull(slot) else { return try statement.bindNull(at: index) }
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      try statement.bind(row.integer(slot), at: index)
    case .double, .date:
      try statement.bind(row.double(slot), at: index)
    case .string:
      try statement.bind(row.string(slot), at: index)
    case .data:
      try statement.bind(row.data(slot), at: index)
    case .uuid:
      try withUnsafeBytes(of: row.uuid(slot).uuid) { try statement.bind(bytes: $0, at: index) }
    case .decimal:
      try bind(row.decimal(slot), to: statement, at: index)
    case .uri:
      try statement.bind(row.uri(slot)?.absoluteString ?? "", at: index)
    case .transformable:
      guard let bytes = row.transformable(slot)?.encoded else {
        throw PersistenceError(
          .transformation, "A transformable value has no bytes to be stored.",
          entityName: row.layout.entity.name, key: row.layout.names[slot.index])
      }
      try statement.bind(bytes, at: index)
    }
  }

  /// Binds several slots to parameters in a row.
  static func bind(
    _ slots: [RowSlot], of row: Row, to statement: SQLiteStatement, from first: Int32
  ) throws {
    var index = first
    for slot in slots {
      try bind(slot, of: row, to: statement, at: index)
      index += 1
    }
  }

  private static func bind(
    _ decimal: Decimal, to statement: SQLiteStatement, at index: Int32
  ) throws {
    try withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: DecimalCode.maximumByteCount
    ) { buffer in
      let count = DecimalCode.encode(decimal, into: buffer)
      try statement.bind(
        bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), at: index
      )
    }
  }
}
