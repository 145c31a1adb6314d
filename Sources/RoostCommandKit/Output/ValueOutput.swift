// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// How a stored value is printed.
enum ValueOutput {
  /// The value in a cell of a table or of CSV; empty for nil.
  static func text(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .date(let date): self.text(of: date)
    case .data(let data): data.base64EncodedString()
    case .objectID(let id): self.text(of: id)
    case .transformable(let object): (try? object.bytes().base64EncodedString()) ?? ""
    case .list(let values): values.map(text).joined(separator: ", ")
    case .composite: node(value).line
    case .integer, .double, .boolean, .uuid, .uri, .decimal: value.description
    }
  }

  /// The value as JSON. Numbers that JSON has no text for are texts; bytes are in base 64.
  static func node(_ value: Value) -> OutputNode {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .boolean(let truth): .boolean(truth)
    case .double(let number): number.isFinite ? .number(String(number)) : .text(String(number))
    case .decimal(let number): number.isNaN ? .text("NaN") : .number(number.description)
    case .list(let values): .list(values.map(node))
    case .composite(let elements):
      .object(
        elements.sorted { UTF8Order.isLess($0.key, $1.key) }.map {
          OutputNode.Member(name: $0.key, value: node($0.value))
        })
    case .string, .date, .data, .uuid, .uri, .objectID, .transformable: .text(text(value))
    }
  }

  /// Whether a column of such values is aligned to the right.
  static func isNumber(_ value: Value) -> Bool {
    switch value {
    case .integer, .double, .decimal: true
    default: false
    }
  }

  /// The record, as `Person/p42`: the end of its URI.
  static func text(of id: ObjectID) -> String {
    "\(id.entity.name ?? "")/p\(RecordKey.sequence(of: id.key))"
  }

  private static func text(of date: Date) -> String {
    // Dates that no calendar has are shown as the number that is stored.
    guard date.timeIntervalSinceReferenceDate.magnitude < 1e11 else {
      return Value.date(date).description
    }
    let style = Date.ISO8601FormatStyle(
      includingFractionalSeconds: date.timeIntervalSinceReferenceDate.truncatingRemainder(
        dividingBy: 1) != 0)
    return date.formatted(style)
  }
}
