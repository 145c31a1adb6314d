// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One file of the repository as lines, unchanged and with comments and string texts blanked.
struct SourceFile {
  /// The path from the package's root.
  let path: String
  /// The unchanged lines.
  let lines: [Substring]
  /// The lines without comments and string texts; for files that are not Swift the same as `lines`.
  let codeLines: [Substring]
  /// The whole file, for a fast check that a word does not occur.
  let text: Substring

  init(path: String, text: String) {
    self.path = path
    // A native string: slices of a bridged one are slow to search.
    var text = text
    text.makeContiguousUTF8()
    self.text = text[...]
    lines = Self.split(text)
    guard path.hasSuffix(".swift") else {
      codeLines = lines
      return
    }
    let code = SourceBlanking.code(of: Array(text.utf8))
    codeLines = Self.split(String(decoding: code, as: UTF8.self))
  }

  private static func split(_ text: String) -> [Substring] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { Substring($0) }
  }

  /// The name without its folders.
  var name: Substring { path.split(separator: "/").last ?? "" }

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Whether the file is part of what users build: a layer or a backend.
  var isProduct: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Backends/") }

  /// The target whose folder holds the file, by the layout of the repository.
  var target: String? {
    let parts = path.split(separator: "/")
    switch parts.first {
    case "Sources" where parts.count > 2: return String(parts[1])
    case "Backends" where parts.count > 3: return String(parts[2])
    default: return nil
    }
  }
}

/// A violation of a rule.
struct Finding: CustomStringConvertible, Equatable {
  let path: String
  /// The line, counted from 1.
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// A property of every file of the repository.
protocol TidyRule {
  func findings(in file: SourceFile) -> [Finding]
}

extension Substring {
  /// The line without the blanks around it.
  var trimmed: Substring {
    let bytes = utf8
    guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
      let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
    else { return "" }
    return self[first...last]
  }

  /// Returns whether the bytes of `word` occur.
  func has(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    return utf8.withContiguousStorageIfAvailable { bytes in
      guard var place = UnsafeRawPointer(bytes.baseAddress) else { return false }
      var left = bytes.count
      while left >= count, let found = memchr(place, Int32(word.utf8Start[0]), left - count + 1) {
        if memcmp(found, word.utf8Start, count) == 0 { return true }
        left -= UnsafeRawPointer(found) - place + 1
        place = UnsafeRawPointer(found) + 1
      }
      return false
    } ?? contains("\(word)")
  }
}
