// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// What a property reads as that has neither a value nor an initial one, where its type leaves no room for nil: zero,
/// an empty text, no elements, the first case of an enum, and for a `Codable` type one that is made of such.
///
/// Which types have no such value is known before there is any data: the check of the model refuses their properties.
package enum MissingValue {
  /// The value of a type; nil when it has none.
  ///
  /// - Parameter depth: How deep in another value it is.
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

  /// The value of a type with raw values: the first case, or what stands for zero or an empty text.
  static func ofRaw<T: RawRepresentable>(_ type: T.Type) -> T? where T.RawValue: AttributeValue {
    if let type = T.self as? any CaseIterable.Type, let value = type.firstCase as? T {
      return value
    }
    return search { T.RawValue($0).flatMap { T(rawValue: $0) } } ?? firstCase(type)
  }

  /// The value of some type with raw values; nil when it has none.
  static func ofAny<T: RawRepresentable>(_ type: T.Type) -> Any? { of(T.self) }

  private static func zero<T: AttributeValue>(_ type: T.Type) -> Any { RecorderMemory.read() as T }

  private static func fromRaw<T: RawRepresentable>(_ type: T.Type) -> Any? {
    guard let raw = T.RawValue.self as? any AttributeValue.Type else { return nil }
    return search { (value: Value) -> T? in
      (raw.init(value) as? T.RawValue).flatMap { T(rawValue: $0) }
    }
  }

  /// Tries what is nothing in one type or another, and then the numbers of a byte.
  private static func search<T>(_ make: (Value) -> T?) -> T? {
    for value in [Value.integer(0), .string(""), .double(0), .boolean(false)] {
      if let result = make(value) { return result }
    }
    for number in Int64(1)...255 {
      if let result = make(.integer(number)) ?? make(.integer(-number)) { return result }
    }
    return nil
  }

  /// The first case of an enum whose cases cannot be listed.
  private static func firstCase<T>(_ type: T.Type) -> T? {
    guard _isPOD(T.self), (1...2).contains(MemoryLayout<T>.size) else { return nil }
    // Sound: a trivial type of one or two bytes consists of small numbers, truth values and enums, for all of which
    // zero is a value. Of an enum it is the first case, as cases are numbered in the order in which they are declared.
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
  /// Whether the property reads as something when it has no value: an initial value, nil, or what is nothing in its
  /// type.
  var hasMissingValue: Bool { isOptional || makeDefault != nil || canBeMissing() }
}
