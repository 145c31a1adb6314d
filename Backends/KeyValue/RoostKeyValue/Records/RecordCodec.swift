// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// Turns rows of one layout into bytes of one format and back.
///
/// Reading trusts nothing: whatever the bytes are, the result is the row that was written or an error.
package struct RecordCodec: Sendable {
  let format: RecordFormat
  let layout: RowLayout
  let fields: [Field]
  /// Where the bytes of fields without a fixed size begin.
  let fixedCount: Int

  /// One value of a record: where it is in the bytes and in the row.
  struct Field: Sendable {
    var kind: SlotKind
    var offset: Int
    /// nil when the layout has no such slot; the value is skipped then.
    var slot: RowSlot?
  }

  /// Makes a codec.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when a field and its slot are of different kinds, `corruptStore`
  ///   when the format has a kind that does not exist.
  package init(format: RecordFormat, layout: RowLayout) throws {
    self.format = format
    self.layout = layout
    var offset = RecordFormat.headerCount + format.bitmapCount
    fields = try format.fields.map { field in
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
    fixedCount = offset
  }

  /// Makes a codec for records as the layout has them.
  package init(_ layout: RowLayout) throws {
    try self.init(format: RecordFormat(layout), layout: layout)
  }
}
