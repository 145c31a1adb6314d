// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Value: CustomStringConvertible {
  /// A description for developers. It shows stored data: do not log it where that is confidential.
  public var description: String {
    switch self {
    case .null: "nil"
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let truth): String(truth)
    case .string(let text): String(reflecting: text)
    case .date(let date): Self.text(of: date)
    case .data(let data): "\(data.count) bytes"
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    case .decimal(let number): number.description
    case .objectID(let id): "\(id)"
    case .transformable(let value): value.object.map { "\($0)" } ?? "transformable"
    case .list(let values): "{\(values.map(\.description).joined(separator: ", "))}"
    case .composite(let elements):
      "{\(elements.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", "))}"
    }
  }

  /// Returns a description of a date: Foundation's own crashes for dates outside of its calendar.
  private static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e11 else { return "\(seconds) s from 2001" }
    return date.description
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a Boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Makes ``null``.
  public init(nilLiteral: ()) { self = .null }
}
