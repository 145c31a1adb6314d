// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Values for the attributes of any model: always the same for an object, within the limits that the attribute sets.
enum MadeUpValue {
  /// - Returns: A value; nil for an attribute that may stay nil, or of a type without generated values.
  static func value(_ attribute: AttributeDescription, _ index: Int) -> Value? {
    let salt = UInt64(attribute.name.utf8.reduce(17) { $0 &* 31 &+ Int($1) } & 0xFFFF)
    let bits = Scramble.bits(index, salt)
    // One of eight values of an optional attribute stays nil.
    if attribute.isOptional, bits % 8 == 7 { return nil }
    switch attribute.type {
    case .integer16: return .integer(number(attribute, bits, below: 30_000))
    case .integer32, .integer64: return .integer(number(attribute, bits, below: 1_000_000))
    case .double, .float: return .double(real(attribute, bits))
    case .decimal: return .decimal(Decimal(Int(bits % 1_000_000)) / 100)
    case .boolean: return .boolean(bits & 1 == 0)
    case .string: return .string(text(attribute, index))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bits % 800_000_000)))
    case .binaryData: return .data(withUnsafeBytes(of: (bits, bits ^ salt)) { Data($0) })
    case .uuid:
      let low = Scramble.bits(index, salt &+ 1)
      return .uuid(
        withUnsafeBytes(of: (bits, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case .uri: return URL(string: "https://example.org/\(index)").map(Value.uri)
    default: return nil
    }
  }

  private static func number(
    _ attribute: AttributeDescription, _ bits: UInt64, below bound: Int64
  ) -> Int64 {
    var low: Int64 = 0
    var high = bound
    if case .integer(let minimum)? = attribute.minValue { low = minimum }
    if case .integer(let maximum)? = attribute.maxValue { high = maximum }
    if high <= low { high = low + (attribute.maxValue == nil ? bound : 0) }
    return low + Int64(bits % UInt64(max(1, high - low)))
  }

  private static func real(_ attribute: AttributeDescription, _ bits: UInt64) -> Double {
    var low = 0.0
    var high = 1_000.0
    if case .double(let minimum)? = attribute.minValue { low = minimum }
    if case .double(let maximum)? = attribute.maxValue { high = maximum }
    // Quarters are exact in floats too.
    return low + (Double(bits % 4_096) / 4_096 * max(0, high - low) * 4).rounded(.down) / 4
  }

  private static func text(_ attribute: AttributeDescription, _ index: Int) -> String {
    var text = "\(attribute.name) \(index)"
    while text.utf8.count < attribute.minLength ?? 0 { text += " and more" }
    // The number at the end makes the text unique, so the suffix is kept.
    if let maximum = attribute.maxLength { text = String(text.suffix(maximum)) }
    return text
  }
}
