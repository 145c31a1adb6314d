// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A document with the table of the stores between two marks.
struct TableDocument {
  let path: String
  /// Whether the table is put there, or only compared.
  let isWritten: Bool

  private static let marks = (
    "<!-- conformance: written by Scripts/conformance -->", "<!-- end -->"
  )

  /// Puts a table into the document, or looks whether it is there.
  ///
  /// - Returns: Whether the document has the table now.
  func settle(_ table: String) throws -> Bool {
    let url = URL(filePath: path)
    let text = try String(contentsOf: url, encoding: .utf8)
    let (begin, end) = Self.marks
    guard let start = text.range(of: begin),
      let stop = text.range(of: end, range: start.upperBound..<text.endIndex)
    else {
      print("\(path) has no place for the table: \(begin) and \(end)")
      return false
    }
    let place = start.upperBound..<stop.lowerBound
    let wanted = "\n\n\(table)\n\n"
    if text[place] == wanted { return true }
    guard isWritten else {
      print("The table in \(path) is not that of this run, which is\n\n\(table)\n")
      print("Scripts/conformance --write \(path) puts it there.")
      return false
    }
    try text.replacingCharacters(in: place, with: wanted)
      .write(to: url, atomically: true, encoding: .utf8)
    return true
  }
}
