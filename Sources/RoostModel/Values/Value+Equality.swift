// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Value: Hashable {
  /// Whether two values are equal in every store: strings and URIs by their UTF-8 bytes, integers and doubles by
  /// their mathematical value, decimals as numbers. A decimal never equals an integer or a double: constants are
  /// converted to the attribute's type before they are compared.
  public static func == (left: Value, right: Value) -> Bool {
    ValueOrder.compare(left, right) == .equal
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ValueOrder.rank(of: self))
    switch self {
    case .null: break
    case .integer(let number): hasher.combine(number)
    case .double(let number): Value.hash(number, into: &hasher)
    case .boolean(let truth): hasher.combine(truth)
    case .string(let text): UTF8Key(text).hash(into: &hasher)
    case .date(let date): Value.hash(date.timeIntervalSinceReferenceDate, into: &hasher)
    case .data(let data): hasher.combine(data)
    case .uuid(let uuid): hasher.combine(uuid)
    case .uri(let url): UTF8Key(url.absoluteString).hash(into: &hasher)
    case .decimal(let number): Value.hash(number, into: &hasher)
    case .objectID(let id): hasher.combine(id.key)
    case .transformable(let value):
      if let wrapped = value.wrapped {
        hasher.combine(wrapped)
      } else {
        hasher.combine(value.orderingBytes)
      }
    case .list(let values): hasher.combine(values)
    case .composite(let elements): hasher.combine(elements.count)
    }
  }

  /// Hashes a decimal independent of trailing zeros, on which Foundation's hash depends.
  private static func hash(_ number: Decimal, into hasher: inout Hasher) {
    var parts = DecimalParts(number)
    parts.removeTrailingZeros()
    hasher.combine(parts.mantissa == 0 ? 0 : parts.exponent)
    hasher.combine(parts.mantissa)
    hasher.combine(parts.isNegative && parts.mantissa != 0)
  }

  /// Hashes a double so that an integral one hashes as its integer.
  private static func hash(_ number: Double, into hasher: inout Hasher) {
    if let integer = Int64(exactly: number) {
      hasher.combine(integer)
    } else {
      hasher.combine(number.isNaN ? UInt64.max : number.bitPattern)
    }
  }
}

/// A string that is compared by its UTF-8 bytes, for dictionary keys of stored strings.
///
/// Swift treats precomposed and decomposed “é” as equal; no store does.
///
/// ```swift
/// var objects: [UTF8Key: ObjectID] = [:]
/// objects[UTF8Key(email)] = id
/// ```
public struct UTF8Key: Hashable, Comparable, Sendable {
  /// The string.
  public let string: String

  /// Makes a key.
  public init(_ string: String) {
    self.string = string
  }

  /// Whether the bytes are the same.
  public static func == (left: UTF8Key, right: UTF8Key) -> Bool {
    UTF8Order.areEqual(left.string, right.string)
  }

  /// Whether the bytes of `left` come first.
  public static func < (left: UTF8Key, right: UTF8Key) -> Bool {
    UTF8Order.isLess(left.string, right.string)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    let direct: Void? = string.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if direct == nil {
      for byte in string.utf8 { hasher.combine(byte) }
    }
    hasher.combine(0xFF as UInt8)
  }
}
