// SPDX-License-Identifier: Apache-2.0

import Foundation

// In JSON a value is an object whose one key names its type: `{"integer": 7}`. Stores keep metadata in this form, so
// it must not change.
extension MetadataValue: Codable {
  private enum Kind: String, CodingKey, CaseIterable {
    case string, integer, double, boolean, date, data, list, dictionary
  }

  /// Writes the value under the name of its type.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .string(let text): try container.encode(text, forKey: .string)
    case .integer(let number): try container.encode(number, forKey: .integer)
    case .double(let number): try Self.encode(number, to: &container, .double)
    case .boolean(let truth): try container.encode(truth, forKey: .boolean)
    case .date(let date):
      try Self.encode(date.timeIntervalSinceReferenceDate, to: &container, .date)
    case .data(let data): try container.encode(data, forKey: .data)
    case .list(let values): try container.encode(values, forKey: .list)
    case .dictionary(let values): try container.encode(values, forKey: .dictionary)
    }
  }

  /// Reads a value.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` for anything that is not exactly one value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    guard container.allKeys.count == 1, let kind = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "A value has exactly one type."))
    }
    switch kind {
    case .string: self = .string(try container.decode(String.self, forKey: kind))
    case .integer: self = .integer(try container.decode(Int64.self, forKey: kind))
    case .double: self = .double(try Self.decode(container, kind))
    case .boolean: self = .boolean(try container.decode(Bool.self, forKey: kind))
    case .date:
      self = .date(Date(timeIntervalSinceReferenceDate: try Self.decode(container, kind)))
    case .data: self = .data(try container.decode(Data.self, forKey: kind))
    case .list: self = .list(try container.decode([MetadataValue].self, forKey: kind))
    case .dictionary:
      self = .dictionary(try container.decode([String: MetadataValue].self, forKey: kind))
    }
  }

  // JSON has no infinity: what is not finite is a string.

  private static func encode(
    _ number: Double, to container: inout KeyedEncodingContainer<Kind>, _ kind: Kind
  ) throws {
    if number.isFinite {
      try container.encode(number, forKey: kind)
    } else {
      try container.encode(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf", forKey: kind)
    }
  }

  private static func decode(
    _ container: KeyedDecodingContainer<Kind>, _ kind: Kind
  ) throws -> Double {
    guard let text = try? container.decode(String.self, forKey: kind) else {
      return try container.decode(Double.self, forKey: kind)
    }
    switch text {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default:
      throw DecodingError.dataCorruptedError(
        forKey: kind, in: container, debugDescription: "No number is written like this.")
    }
  }
}
