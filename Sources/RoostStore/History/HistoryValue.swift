// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Encoding of values: a byte for the kind, and its data.
extension HistoryWriter {
  private static let locale = Locale(identifier: "en_US_POSIX")

  /// - Throws: The errors of a transformable value's codec.
  mutating func put(_ value: Value) throws {
    switch value {
    case .null, .objectID: bytes.append(0)
    case .integer(let number):
      bytes.append(1)
      put(signed: number)
    case .double(let number):
      bytes.append(2)
      put(number.bitPattern)
    case .boolean(let truth): bytes.append(truth ? 4 : 3)
    case .string(let text):
      bytes.append(5)
      put(text)
    case .date(let date):
      bytes.append(6)
      put(date.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let data):
      bytes.append(7)
      put(data)
    case .uuid(let uuid):
      bytes.append(8)
      put(uuid.uuidString)
    case .uri(let url):
      bytes.append(9)
      put(url.absoluteString)
    case .decimal(let number):
      bytes.append(10)
      var number = number
      put(NSDecimalString(&number, Self.locale))
    case .transformable(let value):
      bytes.append(11)
      put(try value.bytes())
    case .list(let values):
      bytes.append(12)
      put(UInt64(values.count))
      for value in values { try put(value) }
    case .composite(let elements):
      bytes.append(13)
      put(UInt64(elements.count))
      for (name, element) in elements.sorted(by: { $0.key < $1.key }) {
        put(name)
        try put(element)
      }
    }
  }
}

extension HistoryReader {
  /// The maximum nesting depth of values, as in composites of composites.
  private static let deepest = 32

  mutating func value(depth: Int = 0) throws -> Value {
    guard depth < Self.deepest else { throw HistoryDamage() }
    switch try byte() {
    case 0: return .null
    case 1: return .integer(try signed())
    case 2: return .double(Double(bitPattern: try number()))
    case 3: return .boolean(false)
    case 4: return .boolean(true)
    case 5: return .string(try text())
    case 6:
      return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number())))
    case 7: return .data(Data(try counted()))
    case 8: return .uuid(try parsed { UUID(uuidString: $0) })
    case 9: return .uri(try parsed { URL(string: $0) })
    case 10:
      return .decimal(
        try parsed { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) })
    case 11:
      return .transformable(TransformableValue(object: nil, encoded: Data(try counted())))
    case 12: return .list(try (0..<count()).map { _ in try value(depth: depth + 1) })
    case 13:
      var elements: [String: Value] = [:]
      for _ in 0..<(try count()) { elements[try text()] = try value(depth: depth + 1) }
      return .composite(elements)
    default: throw HistoryDamage()
    }
  }

  /// Reads a value without making it.
  mutating func skipValue(depth: Int = 0) throws {
    guard depth < Self.deepest else { throw HistoryDamage() }
    switch try byte() {
    case 0, 3, 4: break
    case 1, 2, 6: _ = try number()
    case 5, 7...11: try skipCounted()
    case 12: for _ in 0..<(try count()) { try skipValue(depth: depth + 1) }
    case 13:
      for _ in 0..<(try count()) {
        try skipCounted()
        try skipValue(depth: depth + 1)
      }
    default: throw HistoryDamage()
    }
  }

  private mutating func parsed<Parsed>(_ parse: (String) -> Parsed?) throws -> Parsed {
    guard let parsed = parse(try text()) else { throw HistoryDamage() }
    return parsed
  }
}
