// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel
public import RoostStore

extension RecordFormat {
  /// What records have in slots for which they have no field, because they were written before the attribute was added.
  package struct Defaults: Codable, Hashable, Sendable {
    package var fields: [Field]
    /// The values as a record of these fields.
    package var record: Data

    /// Keeps some slots of a row; nil for none.
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

    /// The key of the record, which is nobody's.
    static let key: Int64 = 0
  }

  /// Returns what the records of this format are read by after their entity has changed: fields have the names that
  /// they have now, and slots that the records lack read as what the change gives to all records.
  ///
  /// Records for which this is not enough, as those with a value that is converted, are written anew with the change.
  ///
  /// ```swift
  /// formats[entity.code] = try formats[entity.code]?.map { try $0.following(entity) }
  /// ```
  ///
  /// - Parameter change: What becomes of the entity.
  /// - Throws: `persistentStoreIncompatibleSchema` when the format is none of the entity as it was, `corruptStore` when
  ///   it is damaged.
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
  /// Sets a slot to what another row, of whatever layout, holds in a slot of the same kind. Only for the one who made
  /// the row.
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
