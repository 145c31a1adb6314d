// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A format string, with errors that point to a position in it.
struct FormatSource {
  let text: String
  let bytes: [UInt8]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// Returns the error for a position: its message contains the UTF-8 offset and an excerpt with a caret below, which
  /// an empty text has no place for. It is boxed, because the parser is recursive and an error by value would enlarge
  /// all of its stack frames.
  @inline(never)
  func failure(
    _ message: String, at offset: Int, code: PersistenceError.Code = .invalidPredicate
  ) -> any Error {
    guard text.contains(where: { !$0.isWhitespace }) else {
      return PersistenceError(
        code, "\(message), at offset \(offset): the text is empty", predicateFormat: text)
    }
    let (excerpt, column) = excerpt(around: offset)
    let caret = String(repeating: " ", count: column) + "^"
    return PersistenceError(
      code, "\(message), at offset \(offset):\n\(excerpt)\n\(caret)", predicateFormat: text)
  }

  /// Returns one line of at most 60 bytes around a position, and the position's column in it.
  private func excerpt(around offset: Int) -> (String, Int) {
    var start = max(0, min(offset, bytes.count) - 30)
    var end = min(bytes.count, offset + 30)
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let before = Self.oneLine(bytes[start..<max(start, min(offset, end))])
    let after = Self.oneLine(bytes[max(start, min(offset, end))..<end])
    let lead = start > 0 ? "…" : ""
    let tail = end < bytes.count ? "…" : ""
    return (lead + before + after + tail, lead.count + before.count)
  }

  private static func oneLine(_ bytes: ArraySlice<UInt8>) -> String {
    String(String(decoding: bytes, as: UTF8.self).map { $0.isNewline || $0 == "\0" ? " " : $0 })
  }
}
