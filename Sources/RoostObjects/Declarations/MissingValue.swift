// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The value of a non-optional property that has neither a value nor an initial one: zero, an empty text, no
/// elements, the first case of an enum, and for a `Codable` type one that consists of such values.
///
/// Types without such a value are known in advance: the validation of the model rejects their properties.
package enum MissingValue {
  /// Returns the value of a type; nil when it has none.
  ///
  /// - Parameter depth: The nesting depth of the value in another one.
  package static func of<T>(_ type: T.Type, at depth: Int = 0) -> T? {
    if let type = T.self as? any FixedWidthInteger.Type { return type.init(0) as? T }
    if let type = T.self as? any AttributeValue.Type, let value = zero(type) as? T { return value }
    if let type = T.self as? any CaseIterable.Type, let value = type.firstCase as? T {
      return value
    }
    if let type = T.self as? any RawRepresentable.Type, let value = fromRaw(type) as? T {
      return value
    }
    if let value = firstCase(type) { return value }
    guard let type = T.self as? any Decodable.Type else { return nil }
    return (try? type.init(from: BlankDecoder(depth: depth))) as? T
  }

  /// Returns the value of a type with raw values: the first case, or the one for zero or an empty text.
  static func ofRaw<T: RawRepresentable>(_ type: T.Type) -> T? where T.RawValue: AttributeValue {
    if let type = T.self as? any CaseIterable.Type, let value = type.firstCase as? T {
      return value
    }
    return search { T.RawValue($0).flatMap { T(rawValue: $0) } } ?? firstCase(type)
  }

  /// Returns the value of any type with raw values; nil when it has none.
  static func ofAny<T: RawRepresentable>(_ type: T.Type) -> Any? { of(T.self) }

  private static func zero<T: AttributeValue>(_ type: T.Type) -> Any { RecorderMemory.read() as T }

  private static func fromRaw<T: RawRepresentable>(_ type: T.Type) -> Any? {
    guard let raw = T.RawValue.self as? any AttributeValue.Type else { return nil }
    return search { (value: Value) -> T? in
      (raw.init(value) as? T.RawValue).flatMap { T(rawValue: $0) }
    }
  }

  /// Tries the empty values of several types, and then the numbers of a byte.
  private static func search<T>(_ make: (Value) -> T?) -> T? {
    for value in [Value.integer(0), .string(""), .double(0), .boolean(false)] {
      if let result = make(value) { return result }
    }
    for number in Int64(1)...255 {
      if let result = make(.integer(number)) ?? make(.integer(-number)) { return result }
    }
    return nil
  }

  /// Returns the first case of an enum that is not `CaseIterable`.
  private static func firstCase<T>(_ type: T.Type) -> T? {
    guard _isPOD(T.self), (1...2).contains(MemoryLayout<T>.size) else { return nil }
    // Sound: a trivial type of one or two bytes consists of small numbers, truth values and enums, for all of which
    // zero is a value. For an enum it is the first case, as cases are numbered in the order of their declaration.
    let value = withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      buffer.withMemoryRebound(to: UInt8.self) { $0.initialize(repeating: 0) }
      return buffer[0]
    }
    return Mirror(reflecting: value).displayStyle == .enum ? value : nil
  }
}

extension CaseIterable {
  fileprivate static var firstCase: Any? { allCases.first }
}

extension AttributeDeclaration {
  /// Whether the property has a value to read when none is stored: an initial value, nil, or the empty value of its
  /// type.
  var hasMissingValue: Bool { isOptional || makeDefault != nil || canBeMissing() }
}
