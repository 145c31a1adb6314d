// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

/// Encodes rows of one layout as bytes of one format, and decodes them.
///
/// Decoding trusts nothing: for any bytes, the result is the row that was written or an error. The format is stored
/// beside the records, so that they can be read when the model has another layout.
///
/// ```swift
/// let codec = try RecordCodec(row.layout)
/// let bytes = try codec.encode(row)
/// let again = try codec.decode(bytes, key: row.key)
/// ```
public final class RecordCodec: Sendable {
  let format: RecordFormat
  /// The layout of the rows.
  public let layout: RowLayout
  /// The number of the record format, stored in each record.
  let formatNumber: UInt16
  let fields: [Field]
  /// The offset of the bytes of variable-size fields.
  let fixedCount: Int
  /// The offsets of the end offsets of variable-size fields, in order.
  let endOffsets: [Int]
  /// Default values of slots that the format has no fields for; nil when they all are nil.
  let defaults: Row?
  /// All slots of the layout.
  package let wholeRow: RecordSelection

  /// One value of a record: where it is in the bytes and in the row.
  struct Field: Sendable {
    var kind: SlotKind
    var offset: Int
    /// nil when the layout has no such slot; the value is skipped then.
    var slot: RowSlot?
  }

  /// Makes a codec.
  ///
  /// - Parameters:
  ///   - format: The stored fields.
  ///   - layout: The layout of the rows. A slot that the format lacks is read as nil, or as the format's default.
  ///   - formatNumber: The number of the format among those of the entity.
  /// - Throws: `persistentStoreIncompatibleSchema` when a field and its slot are of different kinds, `corruptStore`
  ///   when the format has a kind that does not exist.
  public init(format: RecordFormat, layout: RowLayout, formatNumber: Int = 0) throws {
    var offset = RecordFormat.headerCount + format.bitmapCount
    let fields = try format.fields.map { field in
      guard let kind = SlotKind(rawValue: field.kind) else {
        throw PersistenceError(.corruptStore, "The store has a field of an unknown kind.")
      }
      let slot = layout.slot(named: field.name)
      guard slot == nil || slot?.kind == kind else {
        throw PersistenceError(
          .persistentStoreIncompatibleSchema,
          "The store has another type of values for \(field.name).",
          entityName: layout.entity.name, key: field.name)
      }
      defer { offset += kind.fieldWidth }
      return Field(kind: kind, offset: offset, slot: slot)
    }
    self.format = format
    self.layout = layout
    guard let number = UInt16(exactly: formatNumber) else {
      throw PersistenceError(.corruptStore, "The store has too many formats of records.")
    }
    self.formatNumber = number
    self.fields = fields
    fixedCount = offset
    endOffsets = fields.filter(\.kind.isOfVariableSize).map(\.offset)
    defaults = try format.defaults?.row(in: layout)
    wholeRow = RecordSelection(.all, of: fields, in: layout, defaults)
  }

  /// Makes a codec for records as the layout has them.
  public convenience init(_ layout: RowLayout) throws {
    try self.init(format: RecordFormat(layout), layout: layout)
  }

  /// Whether records of a format are written by this codec.
  package func hasFormat(_ other: RecordFormat) -> Bool { format == other }

  /// The fields that fill some slots.
  package func selection(of slots: RowSlots) -> RecordSelection {
    slots == .all ? wholeRow : RecordSelection(slots, of: fields, in: layout, defaults)
  }

  /// Returns the format number in a record; nil when there are too few bytes.
  package static func formatNumber(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= RecordFormat.headerCount else { return nil }
    return Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
  }
}
