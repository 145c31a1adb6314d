// SPDX-License-Identifier: Apache-2.0

/// A parser for one JSON value (RFC 8259). Any input gives a node or a fault, in linear time and bounded depth.
package struct JSONParser {
  /// The maximum nesting depth: more than composites can have.
  private static let largestDepth = 64

  private let bytes: ArraySlice<UInt8>
  private var index: Int

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// Parses a text that consists of one value.
  package static func parse(_ bytes: ArraySlice<UInt8>) throws(ExchangeFault) -> JSONNode {
    var parser = JSONParser(bytes)
    let node = try parser.parseNode(depth: 0)
    parser.skipSpace()
    guard parser.index == bytes.endIndex else {
      throw parser.fault("the line goes on after the end of its object")
    }
    return node
  }

  private func fault(_ reason: String) -> ExchangeFault {
    ExchangeFault("\(reason) (at byte \(index - bytes.startIndex + 1) of the line)")
  }

  private mutating func skipSpace() {
    while index < bytes.endIndex {
      switch bytes[index] {
      case 9, 10, 13, 32: index += 1
      default: return
      }
    }
  }

  /// Skips white space, and consumes a character if it comes next.
  private mutating func pass(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func pass(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { bytes[index...].prefix(count).elementsEqual($0) }
    if matches { index += count }
    return matches
  }

  private mutating func parseNode(depth: Int) throws(ExchangeFault) -> JSONNode {
    skipSpace()
    guard depth <= Self.largestDepth else { throw fault("lists are nested too deep") }
    guard index < bytes.endIndex else { throw fault("the line ends too early") }
    switch bytes[index] {
    case UInt8(ascii: "\""): return .text(try parseText())
    case UInt8(ascii: "["): return .list(try parseList(depth))
    case UInt8(ascii: "{"): return .object(try parseObject(depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
    default:
      if pass(word: "true") { return .boolean(true) }
      if pass(word: "false") { return .boolean(false) }
      if pass(word: "null") { return .null }
      throw fault("there is no JSON value")
    }
  }

  private mutating func parseList(_ depth: Int) throws(ExchangeFault) -> [JSONNode] {
    index += 1
    var nodes: [JSONNode] = []
    if pass("]") { return nodes }
    repeat { nodes.append(try parseNode(depth: depth + 1)) } while pass(",")
    guard pass("]") else { throw fault("a list is not closed") }
    return nodes
  }

  private mutating func parseObject(_ depth: Int) throws(ExchangeFault) -> [JSONNode.Member] {
    index += 1
    var members: [JSONNode.Member] = []
    var names = Set<String>()
    if pass("}") { return members }
    repeat {
      skipSpace()
      guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "\"") else {
        throw fault("a name is missing")
      }
      let name = try parseText()
      guard names.insert(name).inserted else { throw fault("a name is there twice") }
      guard pass(":") else { throw fault("a colon is missing") }
      members.append(JSONNode.Member(name, try parseNode(depth: depth + 1)))
    } while pass(",")
    guard pass("}") else { throw fault("an object is not closed") }
    return members
  }
}

// MARK: - Numbers and texts

extension JSONParser {
  private mutating func parseNumber() throws(ExchangeFault) -> String {
    let start = index
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    let first = index
    let whole = passDigits()
    guard whole > 0, whole == 1 || bytes[first] != UInt8(ascii: "0") else {
      throw fault("a number is not written as JSON has it")
    }
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") {
      index += 1
      guard passDigits() > 0 else { throw fault("a number ends with its point") }
    }
    if index < bytes.endIndex, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.endIndex, bytes[index] == 0x2B || bytes[index] == 0x2D { index += 1 }
      guard passDigits() > 0 else { throw fault("a number has no exponent") }
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// Consumes digits, and returns their number.
  private mutating func passDigits() -> Int {
    let start = index
    while index < bytes.endIndex, bytes[index] &- 0x30 < 10 { index += 1 }
    return index - start
  }

  private mutating func parseText() throws(ExchangeFault) -> String {
    index += 1
    let start = index
    while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\""),
      bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20
    {
      index += 1
    }
    var text = Array(bytes[start..<index])
    while true {
      guard index < bytes.endIndex else { throw fault("a text is not closed") }
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let result = String(validating: text, as: UTF8.self) else {
          throw fault("a text is no UTF-8")
        }
        return result
      case UInt8(ascii: "\\"): text.append(contentsOf: try parseEscape())
      case 0..<0x20: throw fault("a text has a control character, which is to be escaped")
      default: text.append(byte)
      }
    }
  }

  private mutating func parseEscape() throws(ExchangeFault) -> [UInt8] {
    guard index < bytes.endIndex else { throw fault("a text is not closed") }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): return try parseScalar()
    default: throw fault("there is no such escape")
    }
  }

  private mutating func parseScalar() throws(ExchangeFault) -> [UInt8] {
    var code = try parseUnit()
    if code & 0xFC00 == 0xD800 {
      guard pass(word: "\\u") else { throw fault("half of a surrogate pair is missing") }
      let low = try parseUnit()
      guard low & 0xFC00 == 0xDC00 else { throw fault("half of a surrogate pair is missing") }
      code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw fault("half of a surrogate pair is missing")
    }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func parseUnit() throws(ExchangeFault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard index < bytes.endIndex,
        let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue
      else { throw fault("an escape has no four hexadecimal digits") }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }
}
