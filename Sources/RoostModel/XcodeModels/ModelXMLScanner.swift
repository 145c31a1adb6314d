// SPDX-License-Identifier: Apache-2.0

/// A scanner for the bytes of an XML file: names, attributes, characters, comments.
struct ModelXMLScanner {
  private let source: ModelText
  private(set) var position = 0

  init(_ source: ModelText) {
    self.source = source
  }

  var isAtEnd: Bool { position >= source.bytes.count }
  var peek: UInt8? { isAtEnd ? nil : source.bytes[position] }

  func error(_ message: String, _ offset: Int? = nil) -> PersistenceError {
    source.error(message, at: offset ?? position)
  }

  /// Consumes a text if it comes next.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= source.bytes.count else { return false }
    for index in 0..<count where source.bytes[position + index] != text.utf8Start[index] {
      return false
    }
    position += count
    return true
  }

  @discardableResult
  mutating func skipSpace() -> Bool {
    let start = position
    while let byte = peek, Self.isSpace(byte) { position += 1 }
    return position > start
  }

  /// Skips the declaration and the document type, which may refer to a definition but not contain one.
  mutating func skipProlog() throws(PersistenceError) {
    if source.bytes.starts(with: [0xFF, 0xFE]) || source.bytes.starts(with: [0xFE, 0xFF]) {
      throw error("The file is not UTF-8.")
    }
    _ = skip("\u{FEFF}")
    if skip("<?xml") {
      let declaration = try text(until: "?>").lowercased()
      if declaration.contains("encoding"), !declaration.contains("utf-8") {
        throw error("The file is not UTF-8.", 0)
      }
    }
    while true {
      skipSpace()
      if try skipComment() { continue }
      let start = position
      guard skip("<!DOCTYPE") else { return }
      let type = try text(until: ">")
      if type.contains("[") {
        throw error("A document type with definitions of its own is refused.", start)
      }
    }
  }

  /// Skips a comment or a processing instruction if it comes next.
  mutating func skipComment() throws(PersistenceError) -> Bool {
    if skip("<!--") {
      _ = try text(until: "-->")
      return true
    }
    if skip("<?") {
      _ = try text(until: "?>")
      return true
    }
    return false
  }

  /// Returns the raw text up to a terminator, which is consumed.
  mutating func text(until end: StaticString) throws(PersistenceError) -> String {
    let start = position
    while !isAtEnd {
      let before = position
      if skip(end) { return try string(start..<before) }
      position += 1
    }
    throw error("“\(end)” is missing.", start)
  }

  mutating func name() throws(PersistenceError) -> String {
    let start = position
    while let byte = peek, Self.isNameByte(byte) { position += 1 }
    guard position > start, !(48...57).contains(source.bytes[start]) else {
      throw error("A name is missing.", start)
    }
    return try string(start..<position)
  }

  /// Scans `name="value"`.
  mutating func attribute() throws(PersistenceError) -> (name: String, value: String) {
    let name = try name()
    skipSpace()
    guard skip("=") else { throw error("The attribute “\(name)” has no value.") }
    skipSpace()
    guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error("The value of “\(name)” is not in quotes.")
    }
    position += 1
    let value = try characters(until: quote, isValue: true)
    position += 1
    return (name, value)
  }

  /// Scans the characters up to the next tag.
  mutating func characters() throws(PersistenceError) -> String {
    try characters(until: UInt8(ascii: "<"), isValue: false)
  }

  /// Scans the characters up to a byte, with references replaced. In attribute values, line ends and tabs become
  /// spaces, as XML requires.
  private mutating func characters(
    until end: UInt8, isValue: Bool
  ) throws(PersistenceError) -> String {
    var result = ""
    var start = position
    while let byte = peek, byte != end {
      if byte == UInt8(ascii: "&") {
        result += try string(start..<position)
        result.unicodeScalars.append(try reference())
        start = position
      } else if isValue, byte == UInt8(ascii: "<") {
        throw error("“<” stands inside of a value.")
      } else if isValue, Self.isSpace(byte), byte != 32 {
        result += try string(start..<position) + " "
        position += 1
        start = position
      } else {
        position += 1
      }
    }
    if isValue, isAtEnd { throw error("A value is not closed.", start) }
    return result + (try string(start..<position))
  }

  /// Scans `&amp;`, `&#65;` or `&#x41;`.
  private mutating func reference() throws(PersistenceError) -> Unicode.Scalar {
    let start = position
    position += 1
    while let byte = peek, byte != UInt8(ascii: ";"), position - start < 12 { position += 1 }
    guard peek == UInt8(ascii: ";") else { throw error("A reference is not closed.", start) }
    let name = try string(start + 1..<position)
    position += 1
    if let scalar = Self.named[name] { return scalar }
    let number: UInt32?
    if name.hasPrefix("#x") {
      number = UInt32(name.dropFirst(2), radix: 16)
    } else {
      number = name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    }
    guard let scalar = number.flatMap(Unicode.Scalar.init), Self.isAllowed(scalar) else {
      throw error("“&\(name);” stands for no character.", start)
    }
    return scalar
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  /// Returns a part of the file as text: valid UTF-8 without control characters.
  private func string(_ range: Range<Int>) throws(PersistenceError) -> String {
    let part = source.bytes[range]
    if let place = part.firstIndex(where: { $0 < 32 && !Self.isSpace($0) }) {
      throw error("The file contains a control character.", place)
    }
    guard let text = String(validating: part, as: UTF8.self) else {
      throw error("The file is not UTF-8 here.", range.lowerBound)
    }
    return text
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 13 || byte == 9
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 32 || scalar.value == 9 || scalar.value == 10 || scalar.value == 13
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 0x80...: true
    case UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
