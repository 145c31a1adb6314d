// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel
public import RoostStore

extension RecordFormat {
  /// Values for slots that have no field in the record, because the attribute was added after the record was written.
  package struct Defaults: Codable, Hashable, Sendable {
    package var fields: [Field]
    /// The values as a record of these fields.
    package var record: Data

    /// Stores the values of some slots of a row; nil when there are no slots.
    init?(_ slots: [(name: String, slot: RowSlot)], of row: Row) throws {
      guard !slots.isEmpty else { return nil }
      fields = slots.map { Field(name: $0.name, kind: $0.slot.kind.rawValue) }
      let codec = try RecordCodec(format: RecordFormat(fields: fields), layout: row.layout)
      record = Data(try codec.encode(row))
    }

    /// A row with these values, and nothing else.
    func row(in layout: RowLayout) throws -> Row {
      try RecordCodec(format: RecordFormat(fields: fields), layout: layout)
        .decode(record, key: Self.key)
    }

    /// The key of the record; it belongs to no stored record.
    static let key: Int64 = 0
  }

  /// Returns the format by which existing records are read after a migration of their entity: fields have their new
  /// names, and slots that the records lack have default values.
  ///
  /// Records for which this is not enough, such as those with a converted value, are rewritten by the migration.
  ///
  /// ```swift
  /// formats[entity.code] = try formats[entity.code]?.map { try $0.following(entity) }
  /// ```
  ///
  /// - Parameter change: The change of the entity.
  /// - Throws: `persistentStoreIncompatibleSchema` when the format is none of the entity's source version,
  ///   `corruptStore` when it is damaged.
  public func following(_ change: EntityChange) throws -> RecordFormat {
    let codec = try RecordCodec(format: self, layout: change.source.layout)
    var names: [Int: String] = [:]
    for slot in change.slots {
      switch slot.origin {
      case .kept(let old), .defaulted(let old, _): names[old.index] = slot.name
      case .constant, .converted, .derived, .moved: break
      }
    }
    var format = self
    for (index, field) in codec.fields.enumerated() {
      format.fields[index].name = field.slot.flatMap { names[$0.index] } ?? Self.noName
    }
    let present = Set(format.fields.map(\.name))
    let row = Row(layout: change.destination.layout, key: Defaults.key, version: 0)
    var defaults: [(name: String, slot: RowSlot)] = []
    for slot in change.slots where !present.contains(slot.name) {
      switch slot.origin {
      case .kept(let old), .defaulted(let old, _):
        if let known = codec.defaults { row.copyValue(at: old, of: known, to: slot.slot) }
      case .constant(let value): try row.setValue(value, at: slot.slot)
      case .converted, .derived, .moved: break
      }
      if !row.isNull(slot.slot) { defaults.append((slot.name, slot.slot)) }
    }
    format.defaults = try Defaults(defaults, of: row)
    return format
  }

  /// The name of a field that no slot has any more.
  private static let noName = ""

  init(fields: [Field], defaults: Defaults? = nil) {
    self.fields = fields
    self.defaults = defaults
  }
}

extension Row {
  /// Copies a value from a slot of the same kind, in a row of any layout. Only the creator of this row may call it.
  package func copyValue(at slot: RowSlot, of other: Row, to target: RowSlot) {
    guard !other.isNull(slot) else { return setNull(target) }
    switch target.kind {
    case .integer, .boolean, .reference, .position: setInteger(other.integer(slot), at: target)
    case .double, .date: setDouble(other.double(slot), at: target)
    case .string: setString(other.string(slot), at: target)
    case .data: setData(other.data(slot), at: target)
    case .uuid: setUUID(other.uuid(slot), at: target)
    case .decimal: setDecimal(other.decimal(slot), at: target)
    case .uri: other.uri(slot).map { setURI($0, at: target) }
    case .transformable: other.transformable(slot).map { setTransformable($0, at: target) }
    }
  }
}
