// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A sort value in a form that every coder preserves exactly: a type and a text.
struct CursorValue: Codable {
  let value: Value

  private enum Kind: String, Codable {
    case null, integer, double, boolean, string, date, data, uuid, uri, decimal, object
  }

  init(value: Value) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let kind = try container.decode(Kind.self)
    let text = try container.decode(String.self)
    guard let value = Self.value(kind, text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "“\(text)” is no value of the type \(kind.rawValue).")
    }
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    guard let (kind, text) = parts else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "Nothing is sorted by such a value."))
    }
    var container = encoder.unkeyedContainer()
    try container.encode(kind)
    try container.encode(text)
  }

  private var parts: (Kind, String)? {
    switch value {
    case .null: (.null, "")
    case .integer(let number): (.integer, "\(number)")
    case .double(let number): (.double, "\(number.bitPattern)")
    case .boolean(let truth): (.boolean, truth ? "true" : "false")
    case .string(let text): (.string, text)
    case .date(let date): (.date, "\(date.timeIntervalSinceReferenceDate.bitPattern)")
    case .data(let data): (.data, data.base64EncodedString())
    case .uuid(let uuid): (.uuid, uuid.uuidString)
    case .uri(let url): (.uri, url.absoluteString)
    case .decimal(let number): (.decimal, number.description)
    // The object itself as the sort key: the cursor has its ID.
    case .objectID: (.object, "")
    case .transformable, .list, .composite: nil
    }
  }

  private static func value(_ kind: Kind, _ text: String) -> Value? {
    switch kind {
    case .null, .object: .null
    case .integer: Int64(text).map(Value.integer)
    case .double: number(text).map(Value.double)
    case .boolean: Bool(text).map(Value.boolean)
    case .string: .string(text)
    case .date: number(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .data: Data(base64Encoded: text).map(Value.data)
    case .uuid: UUID(uuidString: text).map(Value.uuid)
    case .uri: URL(string: text).map(Value.uri)
    case .decimal: decimal(text).map(Value.decimal)
    }
  }

  private static func number(_ text: String) -> Double? {
    guard let bits = UInt64(text) else { return nil }
    let number = Double(bitPattern: bits)
    return number.isNaN ? nil : number
  }

  private static func decimal(_ text: String) -> Decimal? {
    let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    return number.flatMap { $0.isNaN ? nil : $0 }
  }
}
