// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

/// The types that `CAST(value, 'type')` supports, by Core Data's names.
///
/// The printer also uses casts for constants without a literal: `CAST(725760000.0, "NSDate")`.
///
/// ```swift
/// CastTarget(name: "number")?.cast(.string("36"))  // nil: names are written as Core Data does
/// CastTarget(name: "Number")?.cast(.string("36"))  // .integer(36)
/// ```
public enum CastTarget: String, Sendable, CaseIterable {
  /// An integer or a double: parsed from a text, 0 or 1 for a Boolean, the seconds since 2001 for a date.
  case number = "NSNumber"
  /// A text, as the printer writes the value.
  case string = "NSString"
  /// A date, from a number of seconds since 2001.
  case date = "NSDate"
  /// A decimal, from a number or its text.
  case decimal = "NSDecimalNumber"
  /// Bytes, from hexadecimal digits.
  case data = "NSData"
  /// A UUID, from its text.
  case uuid = "NSUUID"
  /// A URI, from its text.
  case uri = "NSURL"

  /// Finds a type by its name, with or without Core Data's prefix; nil when there is none.
  public init?(name: String) {
    if let target = CastTarget(rawValue: name) {
      self = target
    } else if let target = CastTarget(rawValue: "NS" + name) {
      self = target
    } else {
      return nil
    }
  }

  /// Returns a value converted to this type; nil when it cannot be converted, such as a text that is not a number.
  public func cast(_ value: Value) -> Value? {
    switch self {
    case .number: Self.number(value)
    case .string: Self.text(value).map(Value.string)
    default: literal(value)
    }
  }

  /// Returns the constant that is written as a cast.
  func literal(_ value: Value) -> Value? {
    switch (self, value) {
    case (.date, .integer(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .date), (.decimal, .decimal), (.data, .data), (.uuid, .uuid), (.uri, .uri): value
    case (.decimal, .integer(let number)): .decimal(Decimal(number))
    case (.decimal, .double(let number)): DecimalText.decimal("\(number)").map(Value.decimal)
    case (.decimal, .string(let text)): DecimalText.decimal(text).map(Value.decimal)
    case (.data, .string(let text)): HexText.data(text).map(Value.data)
    case (.uuid, .string(let text)): UUID(uuidString: text).map(Value.uuid)
    case (.uri, .string(let text)): URL(string: text).map(Value.uri)
    case (.number, .string("inf")): .double(.infinity)
    case (.number, .string("-inf")): .double(-.infinity)
    default: nil
    }
  }

  private static func number(_ value: Value) -> Value? {
    switch value {
    case .integer, .double, .decimal: value
    case .boolean(let truth): .integer(truth ? 1 : 0)
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      Int64(text).map(Value.integer) ?? Double(text).flatMap { $0.isNaN ? nil : .double($0) }
    default: nil
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .boolean(let truth): truth ? "1" : "0"
    case .double(let number): "\(number)"
    case .decimal(let number): DecimalText.text(number)
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    case .uuid(let uuid): uuid.uuidString
    case .uri(let uri): uri.absoluteString
    default: nil
    }
  }
}
