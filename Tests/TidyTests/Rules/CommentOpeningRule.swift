// SPDX-License-Identifier: Apache-2.0

/// A comment begins with the thing that it is about, or with what a function does: a relative clause ("What the store
/// knows of its model") leaves readers to guess the noun.
struct CommentOpeningRule: TidyRule {
  private static let openings: Set<Substring> = [
    "What", "Who", "Whom", "Whose", "Those", "Nobody", "Somebody", "Everybody", "Whoever",
    "Whatever",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct else { return [] }
    return file.lines.indices.compactMap { index in
      guard let word = opening(at: index, in: file), Self.openings.contains(word) else {
        return nil
      }
      return Finding(
        path: file.path, line: index + 1,
        message: "begin with a noun, or with what the function does, instead of '\(word)'")
    }
  }

  /// The first word of a comment that begins on a line; nil where none does.
  private func opening(at index: Int, in file: SourceFile) -> Substring? {
    let line = file.lines[index].trimmed
    guard line.hasPrefix("//") else { return nil }
    if index > 0, file.lines[index - 1].trimmed.hasPrefix("//") { return nil }
    return line.drop { $0 == "/" || $0 == " " }.prefix { $0.isLetter }
  }
}
