// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The textual form of values, from which they are read back exactly.
enum FieldText {
  /// Returns the text of a value; nil for nil, and for composites, which have no text of their own.
  ///
  /// - Throws: `transformation` when a transformable value has no bytes.
  static func text(_ value: Value) throws -> String? {
    switch value {
    case .null, .composite, .list, .objectID: nil
    case .integer(let number): String(number)
    case .double(let number): "\(number)"
    case .boolean(let truth): truth ? "true" : "false"
    case .string(let text): text
    case .date(let date): DateText.text(of: date) ?? "\(date.timeIntervalSinceReferenceDate)"
    case .data(let data): data.base64EncodedString()
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    case .decimal(let number): number.description
    case .transformable(let value): try value.bytes().base64EncodedString()
    }
  }

  /// Returns the value as JSON. Decimals are strings, because other JSON readers convert numbers to doubles.
  ///
  /// - Throws: `transformation` when a transformable value has no bytes.
  static func node(_ value: Value) throws -> JSONNode {
    switch value {
    case .null, .list, .objectID: return .null
    case .integer(let number): return .number(String(number))
    case .double(let number) where number.isFinite: return .number("\(number)")
    case .boolean(let truth): return .boolean(truth)
    case .date(let date) where DateText.text(of: date) == nil && seconds(date).isFinite:
      return .number("\(seconds(date))")
    case .composite(let elements):
      let members = try elements.sorted { UTF8Order.isLess($0.key, $1.key) }.map {
        JSONNode.Member($0.key, try node($0.value))
      }
      return members.allSatisfy { $0.node.isNull } ? .null : .object(members)
    case .double, .string, .date, .data, .uuid, .uri, .decimal, .transformable:
      return try text(value).map(JSONNode.text) ?? .null
    }
  }

  private static func seconds(_ date: Date) -> Double { date.timeIntervalSinceReferenceDate }

  /// Returns the file ID of a record without a unique key.
  ///
  /// - Parameter store: The index of its store: records of two stores can have the same number.
  static func text(of id: ObjectID, store: Int) -> String {
    let place = store == 0 ? "" : "s\(store)"
    return "\(id.entity.name ?? "")/\(place)p\(RecordKey.sequence(of: id.key))"
  }
}
