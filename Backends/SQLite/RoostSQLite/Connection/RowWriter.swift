// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL

/// Binds the slots of rows to the parameters of statements, one statement after the other.
struct RowWriter {
  private let buffer = BindBuffer()

  /// Begins another statement: the bindings of the one before must not be used any more.
  func beginStatement() {
    buffer.removeAll()
  }

  /// Binds a record's key, its version and its slots.
  func bind(
    record row: Row, _ slots: [RowSlot], to statement: SQLiteStatement, from first: Int32
  ) throws {
    try statement.bind(row.key, at: first)
    try statement.bind(version: row.version, at: first + 1)
    try bind(slots, of: row, to: statement, from: first + 2)
  }

  /// Binds slots to consecutive parameters.
  ///
  /// - Throws: `transformation` for an object that was not transformed into bytes.
  func bind(
    _ slots: [RowSlot], of row: Row, to statement: SQLiteStatement, from first: Int32
  ) throws {
    var index = first
    for slot in slots {
      try bind(slot, of: row, to: statement, at: index)
      index += 1
    }
  }

  private func bind(
    _ slot: RowSlot, of row: Row, to statement: SQLiteStatement, at index: Int32
  ) throws {
    guard !row.isNull(slot) else { return try statement.bindNull(at: index) }
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      try statement.bind(row.integer(slot), at: index)
    case .double, .date:
      try statement.bind(row.double(slot), at: index)
    case .string:
      try RowMemory.withUTF8(row.base, slot) {
        try statement.bind(text: $0, at: index, in: buffer)
      }
    case .data:
      try row.data(slot).withUnsafeBytes { try statement.bind(bytes: $0, at: index, in: buffer) }
    case .uuid:
      try withUnsafeBytes(of: row.uuid(slot).uuid) {
        try statement.bind(bytes: $0, at: index, in: buffer)
      }
    case .decimal:
      try bind(row.decimal(slot), to: statement, at: index)
    case .uri:
      try statement.bind(row.uri(slot)?.absoluteString ?? "", at: index, in: buffer)
    case .transformable:
      guard let bytes = row.transformable(slot)?.encoded else {
        throw PersistenceError(
          .transformation, "A transformable value has no bytes to be stored.",
          entityName: row.layout.entity.name, key: row.layout.names[slot.index])
      }
      try bytes.withUnsafeBytes { try statement.bind(bytes: $0, at: index, in: buffer) }
    }
  }

  private func bind(
    _ decimal: Decimal, to statement: SQLiteStatement, at index: Int32
  ) throws {
    try withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: DecimalCode.maximumByteCount
    ) { space in
      let count = DecimalCode.encode(decimal, into: space)
      try statement.bind(
        bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(space)[..<count]),
        at: index, in: buffer)
    }
  }
}
