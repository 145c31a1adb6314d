// SPDX-License-Identifier: Apache-2.0

/// Delimiter-separated lines according to RFC 4180. An empty cell is nil, a pair of quotation marks the empty string.
package enum CSVText {
  private static let quote = UInt8(ascii: "\"")

  /// Appends a line of cells.
  package static func append(_ cells: [String?], delimiter: UInt8, to bytes: inout [UInt8]) {
    for (place, cell) in cells.enumerated() {
      if place > 0 { bytes.append(delimiter) }
      guard let cell else { continue }
      // A cell of white space alone would look like a blank line.
      guard
        cell.utf8.allSatisfy(isSpace) || cell.utf8.contains(where: { needsQuotes($0, delimiter) })
      else {
        bytes.append(contentsOf: cell.utf8)
        continue
      }
      bytes.append(quote)
      for byte in cell.utf8 {
        if byte == quote { bytes.append(quote) }
        bytes.append(byte)
      }
      bytes.append(quote)
    }
    bytes.append(10)
  }

  private static func needsQuotes(_ byte: UInt8, _ delimiter: UInt8) -> Bool {
    byte == delimiter || byte == quote || byte == 10 || byte == 13
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || 9...13 ~= byte }

  /// Whether a record continues after a line, because of an unclosed quotation mark.
  package static func isOpen(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.count { $0 == quote }.isMultiple(of: 2)
  }

  /// Parses the cells of a record, with or without its line break.
  package static func parse(
    _ record: ArraySlice<UInt8>, delimiter: UInt8
  ) throws(ExchangeFault) -> [String?] {
    var bytes = record
    if bytes.last == 10 { bytes.removeLast() }
    if bytes.last == 13 { bytes.removeLast() }
    var cells: [String?] = []
    var index = bytes.startIndex
    while true {
      cells.append(try parseCell(bytes, &index, delimiter))
      guard index < bytes.endIndex else { return cells }
      index += 1
    }
  }

  /// Parses a cell, up to the delimiter after it or the end.
  private static func parseCell(
    _ bytes: ArraySlice<UInt8>, _ index: inout Int, _ delimiter: UInt8
  ) throws(ExchangeFault) -> String? {
    guard index < bytes.endIndex, bytes[index] == quote else {
      let start = index
      while index < bytes.endIndex, bytes[index] != delimiter {
        guard bytes[index] != quote else {
          throw ExchangeFault("a cell that is not in quotation marks has one")
        }
        guard bytes[index] != 13 else {
          throw ExchangeFault(
            "a carriage return stands alone, without a line feed",
            remedy:
              "End lines with line feeds, and put cells with ends of lines into quotation marks."
          )
        }
        index += 1
      }
      return start == index ? nil : try text(bytes[start..<index])
    }
    var content: [UInt8] = []
    index += 1
    while true {
      guard index < bytes.endIndex else {
        throw ExchangeFault("a cell has no second quotation mark")
      }
      let byte = bytes[index]
      index += 1
      guard byte == quote else {
        content.append(byte)
        continue
      }
      guard index < bytes.endIndex, bytes[index] == quote else { break }
      content.append(quote)
      index += 1
    }
    guard index == bytes.endIndex || bytes[index] == delimiter else {
      throw ExchangeFault("a cell goes on after its second quotation mark")
    }
    return try text(content[...])
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(ExchangeFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ExchangeFault("a cell is no UTF-8")
    }
    return text
  }
}
