// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The record format of an entity: its stored fields in order. It is stored once, not in each record.
///
/// A record is a 16-byte header, a nil bit for each field, a fixed-size place for each field, and then the bytes of
/// the variable-size fields. Numbers are little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 0 | the version of this format, 1 |
/// | 1 | 0 |
/// | 2-3 | the number of the format among those that the entity's records had |
/// | 4-7 | the ``Checksum`` of the record's key and of all other bytes |
/// | 8-15 | the version of the row |
/// | ... | the nil bits |
/// | ... | the places: 8 bytes for integers, doubles, dates and references; 1 for booleans; 16 for UUIDs |
/// | | 18 for decimals: exponent, sign, mantissa; 4 for all others: where their bytes end |
/// | ... | the bytes of strings, data, URIs and transformables |
///
/// ```swift
/// let format = RecordFormat(entity.layout)
/// let stored = try JSONEncoder().encode(format)
/// ```
public struct RecordFormat: Codable, Hashable, Sendable {
  /// One value of a record.
  package struct Field: Codable, Hashable, Sendable {
    package var name: String
    package var kind: UInt8
  }

  package var fields: [Field]
  /// Default values of slots that the records have no fields for; nil for none.
  package var defaults: Defaults?

  static let version: UInt8 = 1
  static let headerCount = 16

  /// Makes the format of an entity's records: its stored slots in order.
  public init(_ layout: RowLayout) {
    fields = zip(layout.names, layout.slots).compactMap { name, slot in
      layout.storedSlots.contains(slot) ? Field(name: name, kind: slot.kind.rawValue) : nil
    }
  }

  /// The bytes of the nil bits.
  var bitmapCount: Int { (fields.count + 7) / 8 }
}

extension SlotKind {
  /// The bytes of a field's place.
  var fieldWidth: Int {
    switch self {
    case .integer, .double, .date, .reference, .position: 8
    case .boolean: 1
    case .uuid: 16
    case .decimal: 18
    case .string, .data, .uri, .transformable: 4
    }
  }

  /// Whether the place of a field holds only its end offset.
  var isOfVariableSize: Bool {
    switch self {
    case .string, .data, .uri, .transformable: true
    default: false
    }
  }
}
