// SPDX-License-Identifier: Apache-2.0

/// The reason why a text cannot be parsed, and its line.
struct TextFault: Error {
  let reason: String
  var line: Int?

  init(_ reason: String, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }

  /// The reason with the line, as the rest of a sentence.
  var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}

/// Parses a ``TextNode``. Any bytes give a node or a fault, in linear time, with bounded memory and depth.
struct TextNodeParser {
  /// The maximum nesting depth of lists and objects: more than that of a model's composites.
  private static let largestDepth = 96
  /// The maximum number of nodes in a text.
  private static let largestCount = 4_000_000

  private let bytes: [UInt8]
  private var index = 0
  private var count = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads the bytes of a node.
  static func parse(_ bytes: [UInt8]) throws(TextFault) -> TextNode {
    var parser = TextNodeParser(bytes)
    let node = try parser.parseNode(depth: 0)
    parser.skipSpace()
    guard parser.index == bytes.count else { throw parser.fault("the text goes on after its end") }
    return node
  }

  private func fault(_ reason: String) -> TextFault {
    let line = bytes[..<min(index, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
    return TextFault(reason, line: line)
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 9, 10, 13, 32: index += 1
      default: return
      }
    }
  }

  /// Consumes the next byte if it is `byte`.
  private mutating func pass(_ byte: UInt8) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func pass(word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  private mutating func parseNode(depth: Int) throws(TextFault) -> TextNode {
    skipSpace()
    count += 1
    guard depth <= Self.largestDepth else { throw fault("lists are nested too deep") }
    guard count <= Self.largestCount else { throw fault("there is too much in it") }
    guard index < bytes.count else { throw fault("the text ends too early") }
    switch bytes[index] {
    case UInt8(ascii: "\""): return .text(try parseText())
    case UInt8(ascii: "["): return .list(try parseList(depth))
    case UInt8(ascii: "{"): return .object(try parseFields(depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
    default:
      if pass(word: "true") { return .flag(true) }
      if pass(word: "false") { return .flag(false) }
      throw fault("a value is expected")
    }
  }

  private mutating func parseList(_ depth: Int) throws(TextFault) -> [TextNode] {
    index += 1
    var nodes: [TextNode] = []
    if pass(UInt8(ascii: "]")) { return nodes }
    repeat {
      nodes.append(try parseNode(depth: depth + 1))
    } while pass(UInt8(ascii: ","))
    guard pass(UInt8(ascii: "]")) else { throw fault("a comma or a bracket is expected") }
    return nodes
  }

  private mutating func parseFields(_ depth: Int) throws(TextFault) -> [TextNode.Field] {
    index += 1
    var fields: [TextNode.Field] = []
    if pass(UInt8(ascii: "}")) { return fields }
    repeat {
      skipSpace()
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
        throw fault("a name is expected")
      }
      let name = try parseText()
      guard pass(UInt8(ascii: ":")) else { throw fault("a colon is expected") }
      fields.append(TextNode.Field(name: name, node: try parseNode(depth: depth + 1)))
    } while pass(UInt8(ascii: ","))
    guard pass(UInt8(ascii: "}")) else { throw fault("a comma or a brace is expected") }
    return fields
  }

  private mutating func parseNumber() throws(TextFault) -> Int64 {
    let start = index
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
      index += 1
    }
    guard let number = Int64(String(decoding: bytes[start..<index], as: UTF8.self)) else {
      throw fault("a whole number of 64 bits is expected")
    }
    return number
  }

  private mutating func parseText() throws(TextFault) -> String {
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault("a text is no UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): text += try parseEscape()
      case 0..<0x20: throw fault("a text contains a control character")
      default: text.append(byte)
      }
    }
    throw fault("a text has no end")
  }

  /// Parses an escaped character after the backslash.
  private mutating func parseEscape() throws(TextFault) -> [UInt8] {
    guard index < bytes.count else { throw fault("a text has no end") }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "u"):
      let end = min(index + 4, bytes.count)
      let digits = String(decoding: bytes[index..<end], as: UTF8.self)
      guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(code)
      else { throw fault("a character is escaped in a way that is not known") }
      index = end
      return Array(String(Character(scalar)).utf8)
    default: throw fault("a character is escaped in a way that is not known")
    }
  }
}
