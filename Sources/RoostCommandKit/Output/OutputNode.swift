// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value; the members of objects keep their order.
indirect enum OutputNode: Equatable {
  case null
  case boolean(Bool)
  /// A number in its textual form.
  case number(String)
  case text(String)
  case list([OutputNode])
  case object([Member])

  struct Member: Equatable {
    var name: String
    var value: OutputNode
  }

  static func integer(_ number: some BinaryInteger) -> OutputNode { .number(String(number)) }

  static func texts(_ texts: some Sequence<String>) -> OutputNode {
    .list(texts.map(OutputNode.text))
  }

  /// An object; members whose value is nil are left out.
  static func object(_ members: KeyValuePairs<String, OutputNode?>) -> OutputNode {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// The text in one line.
  var line: String {
    var text = ""
    write(into: &text)
    return text
  }

  /// The text with a line for each member and element.
  var document: String {
    var text = ""
    write(into: &text, indent: "\n")
    return text
  }

  private func write(into text: inout String, indent: String? = nil) {
    switch self {
    case .null: text += "null"
    case .boolean(let truth): text += truth ? "true" : "false"
    case .number(let number): text += number
    case .text(let string): text += Self.quoted(string)
    case .list(let elements):
      write("[", elements, "]", into: &text, indent: indent) { element, text, indent in
        element.write(into: &text, indent: indent)
      }
    case .object(let members):
      write("{", members, "}", into: &text, indent: indent) { member, text, indent in
        text += Self.quoted(member.name) + (indent == nil ? ":" : ": ")
        member.value.write(into: &text, indent: indent)
      }
    }
  }

  private func write<Part>(
    _ begin: String, _ parts: [Part], _ end: String, into text: inout String, indent: String?,
    _ write: (Part, inout String, String?) -> Void
  ) {
    let inner = indent.map { $0 + "  " }
    text += begin
    for (index, part) in parts.enumerated() {
      if index > 0 { text += "," }
      text += inner ?? ""
      write(part, &text, inner)
    }
    if !parts.isEmpty { text += indent ?? "" }
    text += end
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar == "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
