// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Writes the slots of a row as fields.
enum RowWriter {
  /// Writes one slot.
  ///
  /// - Throws: `transformation` for an object that was not transformed into bytes, `limitExceeded` for a value that is
  ///   too large.
  static func append(_ slot: RowSlot, of row: Row, to buffer: BinaryBuffer) throws {
    guard !row.isNull(slot) else { return buffer.appendNull() }
    switch slot.kind {
    case .integer, .reference, .position: buffer.appendField(row.integer(slot))
    case .boolean: buffer.appendField(row.integer(slot) != 0)
    case .double, .date: buffer.appendField(row.double(slot))
    case .string:
      try RowMemory.withUTF8(row.base, slot) { text in
        try FieldLimit.check(text.count)
        buffer.appendField(UnsafeRawBufferPointer(text))
      }
    case .data:
      let data = row.data(slot)
      try FieldLimit.check(data.count)
      buffer.appendField(data)
    case .uuid: buffer.appendField(row.uuid(slot))
    case .decimal: buffer.appendField(row.decimal(slot))
    case .uri: buffer.appendField(row.uri(slot)?.absoluteString ?? "")
    case .transformable:
      guard let bytes = row.transformable(slot)?.encoded else {
        throw PersistenceError(
          .transformation, "A transformable value has no bytes to be stored.",
          entityName: row.layout.entity.name, key: row.layout.names[slot.index])
      }
      try FieldLimit.check(bytes.count)
      buffer.appendField(bytes)
    }
  }
}
