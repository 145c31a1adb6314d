// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value of any attribute type, for Roost's dynamic interfaces.
///
/// Keyed access, the constants of a predicate and the columns of a dictionary fetch use it. The rows of a fetch do
/// not: a store writes directly to the typed slots of a ``Row``.
///
/// Two values are equal by the rules of all stores: strings by their UTF-8 bytes, decimals as numbers, integers and
/// doubles by their mathematical value.
///
/// ```swift
/// let age: Value = .integer(36)
/// ```
@frozen public enum Value: Sendable {
  /// The absence of a value.
  case null
  /// An integer of 16, 32 or 64 bits.
  case integer(Int64)
  /// A double, or a float widened exactly.
  case double(Double)
  /// A Boolean.
  case boolean(Bool)
  /// A string without NUL characters.
  case string(String)
  /// A date, seconds since 2001-01-01 00:00 UTC.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
  /// A URI.
  case uri(URL)
  /// A decimal of up to 38 digits.
  case decimal(Decimal)
  /// The identity of an object.
  case objectID(ObjectID)
  /// A value that a codec encodes when it is saved.
  case transformable(TransformableValue)
  /// Several values, as in `IN {1, 2, 3}` or the elements of a composite.
  case list([Value])
  /// Named values: a composite attribute.
  case composite([String: Value])
}

extension Value {
  /// Whether the value is ``null``.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}
