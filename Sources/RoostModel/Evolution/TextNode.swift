// SPDX-License-Identifier: Apache-2.0

/// A node of a persistent text, such as that of a model: JSON with strings, integers and Booleans.
///
/// Foundation's encoder is not used, because its output differs between versions. Here equal content must always have
/// equal bytes, which checksums depend on.
indirect enum TextNode: Sendable, Equatable {
  case text(String)
  case number(Int64)
  case flag(Bool)
  case list([TextNode])
  case object([Field])

  /// A named member of an object.
  struct Field: Sendable, Equatable {
    let name: String
    let node: TextNode
  }
}

extension TextNode {
  /// Makes an object from members in order, without nil members.
  static func object(_ members: KeyValuePairs<String, TextNode?>) -> TextNode {
    .object(members.compactMap { name, node in node.map { Field(name: name, node: $0) } })
  }

  /// Makes a list of texts; nil when empty, so that the member is omitted.
  static func texts(_ texts: [String]) -> TextNode? {
    texts.isEmpty ? nil : .list(texts.map(TextNode.text))
  }

  /// Makes a list; nil when empty, so that the member is omitted.
  static func nodes(_ nodes: [TextNode]) -> TextNode? {
    nodes.isEmpty ? nil : .list(nodes)
  }

  /// Makes a Boolean; nil for false, so that the member is omitted.
  static func ifTrue(_ isTrue: Bool) -> TextNode? {
    isTrue ? .flag(true) : nil
  }
}

// MARK: - Bytes

extension TextNode {
  /// The text in UTF-8, with a line feed at its end.
  ///
  /// A node that contains a list of objects is spread over lines, one member or object per line; other nodes are on
  /// one line. So a diff of two texts shows each changed property as one line.
  var bytes: [UInt8] {
    var result: [UInt8] = []
    write(into: &result, indentation: 0)
    result.append(UInt8(ascii: "\n"))
    return result
  }

  private var isSpread: Bool {
    switch self {
    case .text, .number, .flag: false
    case .list(let nodes): nodes.contains { if case .object = $0 { true } else { $0.isSpread } }
    case .object(let fields): fields.contains { $0.node.isSpread }
    }
  }

  private func write(into result: inout [UInt8], indentation: Int) {
    switch self {
    case .text(let text): Self.write(text, into: &result)
    case .number(let number): result += String(number).utf8
    case .flag(let isTrue): result += (isTrue ? "true" : "false").utf8
    case .list(let nodes):
      writeMembers(nodes, between: ("[", "]"), into: &result, indentation) { node, result in
        node.write(into: &result, indentation: indentation + 1)
      }
    case .object(let fields):
      writeMembers(fields, between: ("{", "}"), into: &result, indentation) { field, result in
        Self.write(field.name, into: &result)
        result += ": ".utf8
        field.node.write(into: &result, indentation: indentation + 1)
      }
    }
  }

  private func writeMembers<Member>(
    _ members: [Member], between brackets: (String, String), into result: inout [UInt8],
    _ indentation: Int, write: (Member, inout [UInt8]) -> Void
  ) {
    let isSpread = isSpread
    result += brackets.0.utf8
    for (index, member) in members.enumerated() {
      if index > 0 { result += (isSpread ? "," : ", ").utf8 }
      if isSpread { Self.breakLine(in: &result, indentation + 1) }
      write(member, &result)
    }
    if isSpread { Self.breakLine(in: &result, indentation) }
    result += brackets.1.utf8
  }

  private static func breakLine(in result: inout [UInt8], _ indentation: Int) {
    result.append(UInt8(ascii: "\n"))
    result += repeatElement(UInt8(ascii: " "), count: 2 * indentation)
  }

  private static func write(_ text: String, into result: inout [UInt8]) {
    result.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): result += "\\n".utf8
      case UInt8(ascii: "\t"): result += "\\t".utf8
      case 0..<0x20:
        result += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        result += String(byte, radix: 16).utf8
      default: result.append(byte)
      }
    }
    result.append(UInt8(ascii: "\""))
  }
}
