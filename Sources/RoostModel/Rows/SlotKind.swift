// SPDX-License-Identifier: Apache-2.0

/// The representation of a property in the memory of a row.
///
/// ```swift
/// let width = layout.storedSlots.reduce(0) { $0 + $1.kind.byteCount }
/// ```
@frozen public enum SlotKind: UInt8, Sendable {
  /// An `Int64`, whatever the width of the attribute.
  case integer
  /// An `Int64`, 0 or 1.
  case boolean
  /// A `Double`; floats are widened.
  case double
  /// A `Double`, seconds since 2001.
  case date
  /// A Swift `String`, 16 bytes, or a text that is not converted yet.
  case string
  /// A Foundation `Data`, 16 bytes.
  case data
  /// A `UUID`, 16 bytes.
  case uuid
  /// A `Decimal`, 24 bytes.
  case decimal
  /// A reference to a ``URIBox``.
  case uri
  /// A reference to a ``TransformableValue``.
  case transformable
  /// The `Int64` key of the destination of a to-one relationship.
  case reference
  /// The hidden `Int64` that orders this row among the destinations of an ordered relationship.
  case position

  /// The size of a value in bytes, a multiple of eight. A value of eight bytes is in the slot's cell, a wider one
  /// elsewhere.
  public var byteCount: Int {
    switch self {
    case .integer, .boolean, .double, .date, .uri, .transformable, .reference, .position: 8
    case .string, .data, .uuid: 16
    case .decimal: 24
    }
  }

  /// Whether the slot holds references that must be retained and released.
  @inlinable public var isManaged: Bool {
    switch self {
    case .string, .data, .uri, .transformable: true
    default: false
    }
  }
}
