// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// A value with bitwise equality, for round trips.
package struct ExactValue: Equatable, CustomStringConvertible {
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }

  package static func == (left: ExactValue, right: ExactValue) -> Bool {
    switch (left.value, right.value) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.boolean(let a), .boolean(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.uri(let a), .uri(let b)): a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
    case (.decimal(let a), .decimal(let b)): a == b
    case (.objectID(let a), .objectID(let b)): a == b
    case (.transformable(let a), .transformable(let b)): a.encoded == b.encoded
    case (.list(let a), .list(let b)): a.map(ExactValue.init) == b.map(ExactValue.init)
    default: false
    }
  }

  package var description: String {
    switch value {
    case .null: "nil"
    case .integer(let number): "\(number)"
    case .boolean(let truth): "\(truth)"
    case .double(let number): "\(number) (\(String(number.bitPattern, radix: 16)))"
    case .string(let text) where text.utf8.count > 80: "a string of \(text.utf8.count) bytes"
    case .string(let text): text.debugDescription
    case .date(let date): "\(date.timeIntervalSinceReferenceDate) s since 2001"
    case .data(let data) where data.count > 40: "\(data.count) bytes"
    case .data(let data): "bytes \(Array(data))"
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    case .decimal(let number): "\(number)"
    case .objectID(let id): "\(id)"
    case .transformable(let content): "transformable \(content.encoded.map { Array($0) } ?? [])"
    case .list(let values): "\(values.map(ExactValue.init))"
    case .composite(let values): "\(values)"
    }
  }
}

/// Throws unless two values are the same, bit by bit.
package func expectExact(
  _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String = "the value",
  file: StaticString = #fileID, line: UInt = #line
) throws {
  try expectEqual(ExactValue(found), ExactValue(wanted), what(), file: file, line: line)
}
