// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A value of a transformable attribute without a transformer. Each value keeps its type in a store: a URL is not
/// read back as a string, nor a number as a Boolean.
enum PropertyListValue {
  case null
  case string(String)
  case number(NumberValue)
  case date(Date)
  case data(Data)
  case url(URL)
  case uuid(UUID)
  case list([PropertyListValue])
  case set([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// The maximum nesting depth of collections.
  private static let deepestNesting = 64

  /// Converts a value of the program.
  ///
  /// - Throws: `transformation` for a value of an unsupported type, which could not be read back as such.
  init(_ any: Any, depth: Int = 0) throws {
    func inner(_ any: Any) throws -> PropertyListValue {
      try PropertyListValue(any, depth: depth + 1)
    }
    guard depth <= Self.deepestNesting else {
      throw PersistenceError(.transformation, "The value is nested too deeply.")
    }
    switch any {
    case is NSNull: self = .null
    case let text as String: self = .string(text)
    case let number as NSNumber: self = .number(NumberValue(number))
    case let date as Date: self = .date(date)
    case let data as Data: self = .data(data)
    case let url as URL: self = .url(url)
    case let uuid as UUID: self = .uuid(uuid)
    case let values as [Any]: self = .list(try values.map(inner))
    case let values as [String: Any]: self = .dictionary(try values.mapValues(inner))
    case let values as NSSet: self = .set(try Self.sorted(try values.allObjects.map(inner)))
    default:
      throw PersistenceError(
        .transformation,
        "A \(type(of: any)) is no property list: its attribute needs a value transformer.")
    }
  }

  /// Returns the members of a set in a canonical order, so that equal sets have equal bytes.
  private static func sorted(_ values: [PropertyListValue]) throws -> [PropertyListValue] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try values.map { (value: $0, bytes: try encoder.encode($0)) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map(\.value)
  }

  /// The value in the program's type.
  var any: Any {
    switch self {
    case .null: NSNull()
    case .string(let text): text
    case .number(let number): number.number
    case .date(let date): date
    case .data(let data): data
    case .url(let url): url
    case .uuid(let uuid): uuid
    case .list(let values): values.map(\.any)
    case .set(let values): NSSet(array: values.map(\.any))
    case .dictionary(let values): values.mapValues(\.any)
    }
  }
}

// In JSON a value is an object whose only key names its type: `{"uuid": "…"}`. Stores contain this format, so it must
// not change.
extension PropertyListValue: Codable {
  private enum Kind: String, CodingKey {
    case null, string, integer, double, boolean, decimal, date, data, url, uuid, list, set
    case dictionary
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .string(let text): try container.encode(text, forKey: .string)
    case .number(.boolean(let truth)): try container.encode(truth, forKey: .boolean)
    case .number(.integer(let number)): try container.encode(number, forKey: .integer)
    case .number(.double(let number)): try container.encode("\(number)", forKey: .double)
    case .number(.decimal(let number)): try container.encode("\(number)", forKey: .decimal)
    case .date(let date):
      try container.encode("\(date.timeIntervalSinceReferenceDate)", forKey: .date)
    case .data(let data): try container.encode(data, forKey: .data)
    case .url(let url): try container.encode(url, forKey: .url)
    case .uuid(let uuid): try container.encode(uuid, forKey: .uuid)
    case .list(let values): try container.encode(values, forKey: .list)
    case .set(let values): try container.encode(values, forKey: .set)
    case .dictionary(let values): try container.encode(values, forKey: .dictionary)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    guard container.allKeys.count == 1, let kind = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "A value has exactly one type."))
    }
    /// Numbers are strings: JSON has no infinity, and JSON numbers may lose digits.
    func number<T>(_ make: (String) -> T?) throws -> T {
      guard let number = make(try container.decode(String.self, forKey: kind)) else {
        throw DecodingError.dataCorruptedError(
          forKey: kind, in: container, debugDescription: "No number is written like this.")
      }
      return number
    }
    switch kind {
    case .null: self = .null
    case .string: self = .string(try container.decode(String.self, forKey: kind))
    case .boolean: self = .number(.boolean(try container.decode(Bool.self, forKey: kind)))
    case .integer: self = .number(.integer(try container.decode(Int64.self, forKey: kind)))
    case .double: self = .number(.double(try number(Double.init)))
    case .decimal: self = .number(.decimal(try number { Decimal(string: $0) }))
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: try number(Double.init)))
    case .data: self = .data(try container.decode(Data.self, forKey: kind))
    case .url: self = .url(try container.decode(URL.self, forKey: kind))
    case .uuid: self = .uuid(try container.decode(UUID.self, forKey: kind))
    case .list: self = .list(try container.decode([Self].self, forKey: kind))
    case .set: self = .set(try container.decode([Self].self, forKey: kind))
    case .dictionary: self = .dictionary(try container.decode([String: Self].self, forKey: kind))
    }
  }
}
