// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The values that path recorders return, and their comparison with the results of key paths.
enum PathValues {
  // MARK: Values

  /// Returns values of an attribute's type, the harmless ones first, such that getters which compute do not return
  /// all of them unchanged.
  ///
  /// - Parameters:
  ///   - type: The type that is read.
  ///   - result: The value type of the key path: one with raw values is read by these, not all of which may be valid.
  static func values<T: AttributeValue>(of type: T.Type, for result: Any.Type) -> [T] {
    var values: [T] = []
    if let raws = rawValues(of: wrapped(result)), wrapped(result) != wrapped(T.self) {
      values = raws.compactMap {
        $0 as? T ?? ($0 as? any AttributeValue).flatMap { T($0.attributeValue) }
      }
    }
    if values.isEmpty, let cases = cases(of: wrapped(T.self)) {
      values = cases.compactMap { $0 as? T }
    }
    if values.isEmpty { values = samples(T.attributeType).compactMap { T($0) } }
    if T.isOptionalValue, isOptional(result), let nothing = T(.null) { values.append(nothing) }
    return values
  }

  private static let integers: [Int64] = [
    1, 0, 2, -1, 7919, 32_767, -32_768, 2_147_483_647, -2_147_483_648, .max, .min,
  ]

  private static func samples(_ type: AttributeType) -> [Value] {
    switch type {
    case .integer16, .integer32, .integer64: integers.map(Value.integer)
    case .double, .float: [1, 0, -2.5, 0.25, 1_048_577.5, -1e30].map { .double($0) }
    case .decimal: [1, 0, -2, 99.5].map { .decimal($0) }
    case .boolean: [.boolean(true), .boolean(false)]
    case .string:
      ["a", "Bc d", " É\u{301}ß\n\t", "1", String(repeating: "xY ", count: 99), ""].map(
        Value.string)
    case .date:
      [12_345.678, 0, -1e9, 4e9].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .binaryData: [Data([1]), Data([0, 255, 7]), Data()].map(Value.data)
    case .uuid: [.uuid(UUID()), .uuid(UUID())]
    case .uri:
      ["urn:a", "HTTPS://Example.org/x/../y?q=1#z"].compactMap { URL(string: $0).map(Value.uri) }
    default: []
    }
  }

  /// Returns all raw values of a type with few of them, or some of a type with many; nil for other types.
  private static func rawValues(of type: Any.Type) -> [Any]? {
    func raws<T: RawRepresentable>(_ type: T.Type) -> [Any]? {
      if let cases = cases(of: type) { return cases.compactMap { ($0 as? T)?.rawValue } }
      guard let raw = T.RawValue.self as? any AttributeValue.Type else { return nil }
      return samples(raw.attributeType).compactMap { raw.init($0) as? T.RawValue }
        .filter { T(rawValue: $0) != nil }
    }
    return (type as? any RawRepresentable.Type).flatMap { raws($0) }
  }

  /// Returns the cases of an enum without payloads; nil for other types.
  private static func cases(of type: Any.Type) -> [Any]? {
    func listed<T: CaseIterable>(_ type: T.Type) -> [Any] { T.allCases.map { $0 } }
    if let type = type as? any CaseIterable.Type { return listed(type) }
    func found<T>(_ type: T.Type) -> [Any]? { EnumCases.all(of: type) }
    return _openExistential(type, do: found)
  }

  // MARK: Comparing

  /// Whether a result equals the value returned by the recorder, or has it as its raw value.
  static func areSame(_ result: Any?, _ value: Any?) -> Bool {
    guard let result, let value else { return result == nil && value == nil }
    if type(of: result) == type(of: value) {
      if let left = result as? any AttributeValue, let right = value as? any AttributeValue {
        return left.attributeValue == right.attributeValue
      }
      guard let left = result as? any Hashable else { return false }
      return AnyHashable(left) == value as? AnyHashable
    }
    guard let known = result as? any RawRepresentable else { return false }
    return areSame(known.rawValue, value)
  }

  /// Whether a collection has these members, in order if it is ordered.
  static func areSame(_ result: Any, _ members: [ManagedObject]) -> Bool {
    if let list = result as? [ManagedObject] {
      return list.map(ObjectIdentifier.init) == members.map(ObjectIdentifier.init)
    }
    guard let set = result as? Set<ManagedObject> else { return false }
    return Set(set.map(ObjectIdentifier.init)) == Set(members.map(ObjectIdentifier.init))
  }

  // MARK: Optionals

  /// Returns the content of an optional, unwrapped repeatedly.
  static func unwrapped(_ value: Any?) -> Any? {
    var current = value
    while let value = current {
      guard let optional = value as? any OptionalValue else { return value }
      current = optional.content
    }
    return nil
  }

  static func isOptional(_ type: Any.Type) -> Bool { type is any OptionalValue.Type }

  /// Returns the type wrapped by an optional type, unwrapped repeatedly.
  static func wrapped(_ type: Any.Type) -> Any.Type {
    var type = type
    while let optional = type as? any OptionalValue.Type { type = optional.wrapped }
    return type
  }
}

/// An optional of any type.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
  static var nothing: Any { get }
  var content: Any? { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
  static var nothing: Any { nil as Wrapped? as Any }
  var content: Any? { self }
}

/// The cases of enums without `CaseIterable`.
enum EnumCases {
  /// The cases of an enum without payloads, in the order of their declaration; nil for other types.
  static func all<T>(of type: T.Type) -> [T]? {
    guard _isPOD(T.self), MemoryLayout<T>.size <= 1, let count = count(of: type) else { return nil }
    return (0..<count).map { number in
      // Sound: an enum without payloads of at most 256 cases is stored as the number of its case, in a byte, or in no
      // byte when it has one case.
      withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
        if MemoryLayout<T>.size == 1 {
          buffer.withMemoryRebound(to: UInt8.self) { $0.initialize(repeating: UInt8(number)) }
        }
        return buffer[0]
      }
    }
  }

  /// Returns the number of cases of an enum, if none has a payload. It is read from Swift's type metadata, whose
  /// layout is fixed: the kind, a pointer to the description, and in this the numbers of cases with and without
  /// payloads.
  private static func count(of type: Any.Type) -> Int? {
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    let enumKind: UInt = 0x201
    guard metadata[0] == enumKind, let description = UnsafeRawPointer(bitPattern: metadata[1])
    else {
      return nil
    }
    let payloadCases = description.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let emptyCases = description.load(fromByteOffset: 24, as: UInt32.self)
    return payloadCases == 0 && (1...256).contains(emptyCases) ? Int(emptyCases) : nil
  }
}
