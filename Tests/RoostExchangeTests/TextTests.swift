// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExchange
import Testing

/// Tests of the text formats, byte by byte.
@Suite struct TextTests {
  private func parse(_ text: String) throws(ExchangeFault) -> JSONNode {
    try JSONParser.parse(Array(text.utf8)[...])
  }

  private func written(_ node: JSONNode) -> String {
    var bytes: [UInt8] = []
    JSONText.append(node, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "JSON is read as RFC 8259 has it (E2)",
    arguments: [
      (#" {"a" : [1, -0.5e+3, true, null] } "#, #"{"a":[1,-0.5e+3,true,null]}"#),
      (#""\u00e9\ud83e\udd86\n\/\\\"""#, #""é🦆\n/\\\"""#), (#""\u0001""#, #""\u0001""#),
      ("{}", "{}"), ("[]", "[]"), ("12345678901234567890", "12345678901234567890"),
    ])
  func json(text: String, wanted: String) throws {
    let node = try parse(text)
    #expect(written(node) == wanted)
    #expect(try parse(wanted) == node)
  }

  @Test(
    "what is no JSON is a fault (E15)",
    arguments: [
      "", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", "-", "1e", "+1", ".5",
      "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
      "\"a\nb\"", "tru", "nul", "{} {}", "{\"a\":1,\"a\":2}", "'a'", "NaN",
      String(repeating: "[", count: 100_000),
    ])
  func noJSON(text: String) {
    #expect(throws: ExchangeFault.self) { try parse(text) }
  }

  @Test("bytes that are no UTF-8 are a fault (E15)")
  func noUTF8() {
    for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0xEF, 0xBB]] {
      #expect(throws: ExchangeFault.self) { try JSONParser.parse(bytes[...]) }
    }
    #expect(throws: ExchangeFault.self) {
      try CSVText.parse([0x61, 0xFF][...], delimiter: 0x2C)
    }
  }

  @Test("cells are written and read as RFC 4180 has them, nil apart from the empty text (E2)")
  func csv() throws {
    let cells: [String?] = [nil, "", "a", "a,b", "\"", "\"\"", "x\r\ny\nz\r", " é ", nil]
    for delimiter in [",", ";", "\t"].map({ UInt8(ascii: $0) }) {
      var bytes: [UInt8] = []
      CSVText.append(cells, delimiter: delimiter, to: &bytes)
      #expect(try CSVText.parse(bytes[...], delimiter: delimiter) == cells)
      #expect(!CSVText.isOpen(bytes[...]))
    }
    var bytes: [UInt8] = []
    CSVText.append([nil, "", "a,b", "\""], delimiter: UInt8(ascii: ","), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == ",\"\",\"a,b\",\"\"\"\"\n")
  }

  @Test(
    "what is no CSV is a fault (E15)",
    arguments: ["a\"b", "\"a\"b", "\"a", "x,\"y", "\"a\" ,b", "\""])
  func noCSV(text: String) {
    #expect(throws: ExchangeFault.self) {
      try CSVText.parse(Array(text.utf8)[...], delimiter: UInt8(ascii: ","))
    }
  }

  @Test(
    "any bytes are a value or a fault, and what was read is written so that it is read again (E15)")
  func fuzz() throws {
    var generator = SystemRandomNumberGenerator()
    let pieces: [[UInt8]] = [
      "{", "}", "[", "]", "\"", "\\", ":", ",", "1", "-", ".", "e", "true", "null", "\\u", "d83e",
      "\n", "\r\n", " ", "@id", "é",
    ].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        if Bool.random(using: &generator) {
          bytes += pieces.randomElement(using: &generator) ?? []
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      if let node = try? JSONParser.parse(bytes[...]) {
        #expect(try parse(written(node)) == node, "\(bytes)")
      }
      if let cells = try? CSVText.parse(bytes[...], delimiter: UInt8(ascii: ",")) {
        var text: [UInt8] = []
        CSVText.append(cells, delimiter: UInt8(ascii: ","), to: &text)
        #expect(try CSVText.parse(text[...], delimiter: UInt8(ascii: ",")) == cells, "\(bytes)")
      }
    }
  }

  @Test("dates are texts that give them back to the last bit (E1)")
  func dates() {
    let known: [(Double, String)] = [
      (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"),
      (86_400 * 59.5, "2001-03-01T12:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (725_846_400.123, "2024-01-02T00:00:00.123Z"),
    ]
    for (seconds, text) in known {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(DateText.text(of: date) == text)
      #expect(DateText.date(text) == date)
    }
    for _ in 0..<20_000 {
      let exponent = Double.random(in: -10...11)
      let seconds = (Bool.random() ? 1 : -1) * pow(10, exponent)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      if let text = DateText.text(of: date) { #expect(DateText.date(text) == date, "\(seconds)") }
    }
  }

  @Test("dates are read with offsets, without seconds, and as days (E2)")
  func readDates() {
    func seconds(_ text: String) -> Double? {
      DateText.date(text)?.timeIntervalSinceReferenceDate
    }
    #expect(seconds("2001-01-01") == 0)
    #expect(seconds("2001-01-01T02:00:00+02:00") == 0)
    #expect(seconds("2000-12-31 19:00-0500") == 0)
    #expect(seconds("2000-02-29") != nil)
    for text in [
      "", "2001", "2001-13-01", "2001-02-29", "1900-02-29", "2001-01-01T24:00", "2001-01-01T",
      "2001-01-01T00:00:60", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+25", "2001-01-01x",
      "-001-01-01",
    ] {
      #expect(DateText.date(text) == nil, "\(text)")
    }
  }

  @Test("cells of space are quoted, and a carriage return alone is a fault (E2, E15)")
  func space() throws {
    var bytes: [UInt8] = []
    CSVText.append([" "], delimiter: UInt8(ascii: ","), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "\" \"\n")
    #expect(throws: ExchangeFault.self) {
      try CSVText.parse(Array("a,b\rc,d".utf8)[...], delimiter: UInt8(ascii: ","))
    }
  }
}
