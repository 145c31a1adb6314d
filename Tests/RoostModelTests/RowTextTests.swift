// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Texts that wait in the tail of their row until they are read")
struct RowTextTests {
  private let model: ManagedObjectModel
  private let layout: RowLayout
  private let title: RowSlot
  private let text: RowSlot

  init() throws {
    let entity = EntityDescription(name: "Note")
    entity.properties = [
      AttributeDescription(name: "title", type: .string),
      AttributeDescription(name: "text", type: .string),
    ]
    model = ManagedObjectModel(entities: [entity])
    try model.freeze()
    layout = entity.layout
    title = layout.slots[0]
    text = layout.slots[1]
  }

  private func row(tail: Int) -> Row {
    Row(layout: layout, key: 7, version: 1, tailCount: tail)
  }

  private func set(_ string: String, _ slot: RowSlot, _ row: Row) -> Bool {
    Array(string.utf8).withUnsafeBytes { row.setText($0, at: slot) }
  }

  static let texts = [
    "", "short", "fifteen bytes..", "sixteen bytes...", "with\u{0}NUL, and more than that",
    "e\u{301} \u{E9} \u{1F5FA}\u{FE0F} 北京 Zürich", String(repeating: "ä", count: 256),
    String(repeating: "x", count: 512), String(repeating: "x", count: 513),
  ]

  @Test("a text is read as it was given, wherever it is kept", arguments: texts)
  func readsBack(_ string: String) {
    for tail in [0, 8, 20, 600] {
      let row = row(tail: tail)
      #expect(set(string, text, row))
      #expect(!row.isNull(text))
      #expect(Array(row.string(text).utf8) == Array(string.utf8))
      #expect(RowMemory.withUTF8(row.base, text) { Array($0) } == Array(string.utf8))
      let loaded: String = RowMemory.load(row.base, text)
      #expect(Array(loaded.utf8) == Array(string.utf8))
      #expect(String._load(row.base, text) == string)
      #expect(row.value(at: text) == .string(string))
    }
  }

  @Test("no string looks like a text in the tail", arguments: texts)
  func stringsAreNoTail(_ string: String) {
    // A row relies on the layout of `String?`: the second word is zero for nil, and only for nil.
    var absent: String?
    #expect(MemoryLayout<String?>.size == 16)
    #expect(withUnsafeBytes(of: &absent) { $0.load(fromByteOffset: 8, as: UInt64.self) } == 0)
    for form in [string, String(decoding: Array(string.utf8), as: UTF8.self), String(string + "!")]
    {
      #expect(withUnsafeBytes(of: form) { $0.load(fromByteOffset: 8, as: UInt64.self) } != 0)
    }
  }

  /// Returns the address of the bytes of a string.
  private func address(_ string: String) -> Int {
    var string = string
    return string.withUTF8 { Int(bitPattern: $0.baseAddress) }
  }

  @Test("a text that is read again is kept as a string")
  func keeps() {
    let row = row(tail: 64)
    #expect(set("a text that is read several times", text, row))
    let reads = (0..<4).map { _ in row.string(text) }
    #expect(Set(reads) == ["a text that is read several times"])
    // The first read returns a separate copy.
    #expect(address(reads[0]) != address(reads[1]))
    #expect(address(reads[1]) == address(reads[2]) && address(reads[2]) == address(reads[3]))
    #expect(row.copy().string(text) == reads[0])
  }

  @Test("threads that read and copy the same row at the same time find its texts")
  func readsSideBySide() {
    for round in 0..<200 {
      let shared = row(tail: 128)
      let (first, second) = ("the title of round \(round), as given", "the text of round \(round)")
      #expect(set(first, title, shared) && set(second, text, shared))
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        let mine = index % 2 == 0 ? shared : shared.copy()
        for _ in 0..<3 {
          #expect(mine.string(title) == first)
          #expect(mine.string(text) == second)
          #expect(mine.equals(shared, at: text))
        }
      }
    }
  }

  @Test("a copy has the texts of the tail, and outlives the row")
  func copies() {
    var original: Row? = row(tail: 64)
    #expect(original.map { set("a title that is kept in the tail", title, $0) } == true)
    #expect(original.map { set("and another one of them", text, $0) } == true)
    let copy = original?.copy(version: 2)
    original = nil
    #expect(copy?.string(title) == "a title that is kept in the tail")
    #expect(copy?.string(text) == "and another one of them")
    #expect(copy?.version == 2)
  }

  @Test("a text in the tail is replaced, made nil and given again")
  func replaces() {
    let row = row(tail: 100)
    #expect(set("the first text, which is long", text, row))
    row.setString("a string that is as long as the text", at: text)
    #expect(row.string(text) == "a string that is as long as the text")
    #expect(set("the second text, which is long", text, row))
    #expect(row.string(text) == "the second text, which is long")
    row.setNull(text)
    #expect(row.isNull(text) && row.string(text) == "")
    #expect(set("the third text, which is long, and finds no room", text, row))
    #expect(row.string(text) == "the third text, which is long, and finds no room")
  }

  @Test("bytes that are no text are refused and change nothing")
  func refuses() {
    let bad: [[UInt8]] = [
      [0xFF], Array("a long beginning of a text".utf8) + [0xC3],
      Array("a long beginning of a text".utf8) + [0xED, 0xA0, 0x80],
    ]
    for bytes in bad {
      for tail in [0, 64] {
        let row = row(tail: tail)
        row.setString("before", at: text)
        #expect(!bytes.withUnsafeBytes { row.setText($0, at: text) })
        #expect(row.string(text) == "before")
      }
    }
  }

  @Test("texts are compared by what they say, not by where they are")
  func compares() {
    let left = row(tail: 64)
    let right = row(tail: 64)
    let equal = row(tail: 0)
    #expect(set("the same place, text one", text, left))
    #expect(set("the same place, text two", text, right))
    #expect(set("the same place, text one", text, equal))
    #expect(!left.equals(right, at: text))
    #expect(left.equals(equal, at: text) && equal.equals(left, at: text))
    #expect(left.changedSlots(from: right) == [text.index])
    #expect(left.changedSlots(from: right, among: [title, text], likely: []) == [text.index])
    #expect(left.changedSlots(from: equal, among: [title, text], likely: []).isEmpty)
    right.copySlot(text, from: left)
    #expect(right.equals(left, at: text))
  }
}
