// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A value as the page shows it: its kind and its text. The page makes text nodes of texts, and never markup.
struct CellOutput {
  /// The most characters of a text, and the most bytes of data, that are shown.
  let largestText: Int
  let largestData: Int

  /// In a table.
  static let row = CellOutput(largestText: 200, largestData: 16)
  /// On the page of a record, where texts are edited: all of them.
  static let record = CellOutput(largestText: .max, largestData: 1024)

  func node(_ value: Value) -> OutputNode {
    switch value {
    case .null: .null
    case .string(let text): cell("text", text)
    case .integer, .double, .decimal: cell("number", ValueOutput.text(value))
    case .boolean(let truth): cell("boolean", truth ? "true" : "false")
    case .date: cell("date", ValueOutput.text(value))
    case .uuid: cell("uuid", ValueOutput.text(value))
    case .uri: cell("uri", ValueOutput.text(value))
    case .objectID(let id): Self.record(id)
    case .data(let data): bytes("data", data)
    case .transformable(let object): opaque(object)
    case .list(let values): .object(["kind": .text("list"), "items": .list(values.map(node))])
    case .composite: cell("composite", ValueOutput.node(value).line)
    }
  }

  /// A reference to a record.
  static func record(_ id: ObjectID, label: String? = nil) -> OutputNode {
    .object([
      "kind": .text("record"), "text": .text(ValueOutput.text(of: id)),
      "entity": .text(id.entity.name ?? ""), "label": label.map(OutputNode.text),
    ])
  }

  private func cell(_ kind: String, _ text: String) -> OutputNode {
    guard largestText < .max, text.count > largestText else {
      return .object(["kind": .text(kind), "text": .text(text)])
    }
    return .object([
      "kind": .text(kind), "text": .text(String(text.prefix(largestText))), "isCut": .boolean(true),
    ])
  }

  private func opaque(_ object: TransformableValue) -> OutputNode {
    guard let data = try? object.bytes() else { return cell("opaque", "") }
    return bytes("opaque", data)
  }

  private func bytes(_ kind: String, _ data: Data) -> OutputNode {
    .object([
      "kind": .text(kind), "text": .text(HexText.text(of: data.prefix(largestData))),
      "size": .text(Quantity.bytes(data.count)),
      "isCut": data.count > largestData ? .boolean(true) : nil,
    ])
  }
}

/// Bytes as pairs of digits.
enum HexText {
  static func text(of data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(data.count * 2)
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that a text is of, blanks left out; nil for another text.
  static func data(of text: String) -> Data? {
    let digits = text.filter { !$0.isWhitespace }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var data = Data()
    var high: UInt8?
    for digit in digits {
      guard digit.isASCII, let value = digit.hexDigitValue.map(UInt8.init) else { return nil }
      if let first = high {
        data.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return data
  }
}
