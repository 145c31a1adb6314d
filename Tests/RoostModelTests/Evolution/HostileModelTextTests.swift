// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Damaged and hostile texts of models")
struct HostileModelTextTests {
  /// Parses a text, and returns the message of the refusal.
  private func refusal(_ text: String) -> String? {
    do {
      _ = try CanonicalModel(bytes: Array(text.utf8))
      return nil
    } catch {
      #expect(error.code == .corruptStore)
      return error.message
    }
  }

  private func model(_ entities: String) -> String {
    #"{"format": 1, "checksum": "", "entities": [\#(entities)]}"#
  }

  @Test("what is no text of a model is refused with the reason (M6, M53)")
  func reasons() throws {
    let cases: [(String, String)] = [
      ("", "ends too early"), ("null", "a value is expected"), ("[]", "no object"),
      ("{} x", "goes on"), (#"{"a" 1}"#, "colon"), (#"{"a": 1"#, "comma or a brace"),
      ("[1 2]", "comma or a bracket"), ("{1}", "name is expected"), ("1.5", "goes on"),
      ("99999999999999999999", "64 bits"), (#""\x""#, "escaped"), (#""\ud800""#, "escaped"),
      (#""\u12"#, "escaped"), ("\"", "no end"), ("\"\\", "no end"), ("\"\u{1}\"", "control"),
      ("-", "64 bits"), ("{}", "format 0"), (#"{"format": 2}"#, "does not know"),
      (#"{"format": 1}"#, "not as it was written"), (model("3"), "entity is no object"),
      (model("{}"), "has no “name”"), (model(#"{"name": ""}"#), "empty"),
      (model(#"{"name": 4}"#), "no text"), (model(#"{"name": "A"}, {"name": "A"}"#), "one name"),
      (model(#"{"name": "A", "superentity": "A"}"#), "lead back"),
      (
        model(#"{"name": "A", "superentity": "B"}, {"name": "B", "superentity": "A"}"#), "lead back"
      ),
      (model(#"{"name": "A", "superentity": "X"}"#), "no entity “X”"),
      (model(#"{"name": "A", "abstract": 1}"#), "no truth value"),
      (model(#"{"name": "A", "attributes": 1}"#), "no list"),
      (model(#"{"name": "A", "attributes": [{"name": "a", "type": "x"}]}"#), "no type"),
      (
        model(#"{"name": "A", "attributes": [{"name": "a", "type": "undefined"}]}"#), "needs a type"
      ),
      (model(#"{"name": "A", "attributes": [{"name": "a", "type": "composite"}]}"#), "no elements"),
      (
        model(#"{"name": "A", "attributes": [{"name": "a", "type": "date", "default": 1}]}"#),
        "no object of one member"
      ),
      (
        model(
          #"{"name": "A", "attributes": [{"name": "a", "type": "date", "default": {"date": "x"}}]}"#
        ),
        "is no “date”"
      ),
      (
        model(
          #"{"name": "A", "attributes": [{"name": "a", "type": "date", "default": {"date": "nan"}}]}"#
        ),
        "refused"
      ),
      (model(#"{"name": "A", "relationships": [{"name": "r", "destination": "X"}]}"#), "no entity"),
      (
        model(
          #"{"name": "A", "relationships": [{"name": "r", "destination": "A", "inverse": "x"}]}"#),
        "no inverse"
      ),
      (
        model(
          #"{"name": "A", "relationships": [{"name": "r", "destination": "A", "deletion": "all"}]}"#
        ),
        "no delete rule"
      ),
      (
        model(
          #"{"name": "A", "relationships": [{"name": "r", "destination": "A", "maximum": -1}]}"#),
        "cannot be negative"
      ),
      (model(#"{"name": "A", "unique": [["x"]]}"#), "unknown “x”"),
      (model(#"{"name": "A", "unique": ["x"]}"#), "no list"),
      (model(#"{"name": "A", "indexes": [{"name": "i"}]}"#), "no elements"),
    ]
    for (text, reason) in cases {
      let message = refusal(text)
      #expect(message?.contains(reason) == true, "\(text): \(message ?? "was read")")
    }
    #expect(try refusal(String(decoding: text(), as: UTF8.self)) == nil)
  }

  private func text() throws -> [UInt8] { try CanonicalModel(try EverythingModel.make()).bytes }

  @Test("lists in lists, long names and large texts end in an error, not in a trap (M53)")
  func sizes() {
    let deep = String(repeating: "[", count: 2_000_000)
    #expect(refusal(deep)?.contains("too deep") == true)
    let opening = String(
      repeating: #"{"name": "a", "type": "composite", "elements": ["#, count: 40)
    let closing = String(repeating: "]}", count: 40)
    let composite = #"{"name": "A", "attributes": ["# + opening + closing + "]}"
    #expect(refusal(model(composite))?.contains("composites are nested too deep") == true)
    let name = String(repeating: "n", count: 20_000)
    #expect(refusal(model(#"{"name": "\#(name)"}"#))?.contains("longer than 16 kB") == true)
    let spaces = String(repeating: " ", count: CanonicalModel.largestSize + 1)
    #expect(refusal(spaces)?.contains("longer than 16 MB") == true)
    let entities = (0..<5000).map { #"{"name": "E\#($0)"}"# }.joined(separator: ",")
    #expect(refusal(model(entities))?.contains("more than 4095 entities") == true)
  }

  @Test("names that come together in others are counted (M53)")
  func expansion() {
    let name = String(repeating: "n", count: 16_000)
    let relationships = (0..<5000).map { #"{"name": "r\#($0)", "destination": "\#(name)"}"# }
    // Each relationship contains the destination's full name, so the text itself is long; inverses are counted, too.
    #expect(
      refusal(
        model(#"{"name": "\#(name)", "relationships": [\#(relationships.joined(separator: ","))]}"#)
      )?
      .contains("longer than 16 MB") == true)
    let leaves = (0..<9000).map { #"{"name": "l\#($0)", "type": "string"}"# }.joined(separator: ",")
    let text = model(
      #"{"name": "A", "attributes": [{"name": "\#(name)", "type": "composite", "elements": [\#(leaves)]}]}"#
    )
    #expect(refusal(text)?.contains("too long together") == true)
  }

  @Test("a text whose content or checksum was changed is refused, even where it makes a model (M6)")
  func edited() throws {
    let text = String(decoding: try text(), as: UTF8.self)
    let edits: [(old: String, new: String, isRefused: Bool)] = [
      (#""integer": -3"#, #""integer": -4"#, false),
      (#""name": "Part""#, #""name":  "Part""#, true),
      (#""type": "integer32""#, #""type": "integer64""#, true),
      (#""identifiers""#, #""ids""#, true),
      (#""boolean": true"#, #""boolean": true, "boolean": true"#, true),
      ("0.30000000000000004", "0.3", false),
      (#""optional": true"#, #""optional": false"#, true), ("\n", "\r\n", true),
    ]
    for (old, new, isRefused) in edits {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text, "\(old)")
      #expect((refusal(changed) != nil) == isRefused, "\(old)")
    }
  }

  @Test("random damage makes an error or a model, never a trap (M6, M53)", arguments: 0..<5)
  func fuzz(seed: Int) throws {
    var random = SeededNumbers(seed: UInt64(seed))
    let whole = try text()
    let words = [
      "Part", "Base", "true", "false", "\"", "{", "}", "[", "]", ",", ":", "composite",
      "superentity", "destination", "inverse", "elements", "default", "-1", "99999999999",
      "\\u0000",
      "unique", "name", "\"\"", "[]", "{}", "type", "string", "float", "rTree", "undefined",
      "transformable",
    ].map { Array($0.utf8) }
    var models = 0
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0...Int(random.next() % 4) { damage(&bytes, words, &random) }
      do {
        let read = try CanonicalModel(bytes: bytes)
        #expect(try CanonicalModel(try read.model()).bytes == bytes)
        models += 1
      } catch {
        #expect((error as? PersistenceError)?.code == .corruptStore)
      }
    }
    // Defaults are not part of the checksum, so damage to some of them is not detected.
    #expect(models < 500)
  }

  private func damage(_ bytes: inout [UInt8], _ words: [[UInt8]], _ random: inout SeededNumbers) {
    guard !bytes.isEmpty else { return }
    let index = Int(random.next() % UInt64(bytes.count))
    let end = min(bytes.count, index + Int(random.next() % 40))
    switch random.next() % 6 {
    case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes.removeSubrange(index..<end)
    case 2:
      bytes.insert(contentsOf: bytes[index..<end], at: Int(random.next() % UInt64(bytes.count)))
    case 3:
      bytes.replaceSubrange(
        index..<min(bytes.count, index + 1), with: words[Int(random.next() % UInt64(words.count))])
    case 4: replaceWord(&bytes, words, at: index, &random)
    default: bytes.removeSubrange(end...)
    }
  }

  /// Replaces the word after the next quotation mark, so that the result is likely to be a valid text of a model.
  private func replaceWord(
    _ bytes: inout [UInt8], _ words: [[UInt8]], at index: Int, _ random: inout SeededNumbers
  ) {
    let quote = UInt8(ascii: "\"")
    guard let start = bytes[index...].firstIndex(of: quote),
      let end = bytes[(start + 1)...].firstIndex(of: quote)
    else { return }
    bytes.replaceSubrange((start + 1)..<end, with: words[Int(random.next() % UInt64(words.count))])
  }
}
