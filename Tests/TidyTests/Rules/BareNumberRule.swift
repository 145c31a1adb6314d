// SPDX-License-Identifier: Apache-2.0

/// Public documentation must not cite the project's internal numbers, such as those of behaviours, which mean nothing
/// to its readers. Code in examples may cite them, as the titles of the kit's cases do.
struct BareNumberRule: TidyRule {
  func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct else { return [] }
    if file.path.hasSuffix(".md") { return findings(in: file, lines: file.lines.indices) }
    guard file.isSwift, file.text.has("public ") || file.text.has("open ") else { return [] }
    var found: [Finding] = []
    var scopes = PublicScopes()
    for (index, line) in file.codeLines.enumerated() {
      let member = scopes.member(on: line)
      guard member != nil || PublicDeclaration(line: line) != nil else { continue }
      found += findings(in: file, lines: documentation(above: index, in: file))
    }
    return found
  }

  private func findings(in file: SourceFile, lines: Range<Int>) -> [Finding] {
    var isCode = false
    return lines.compactMap { line in
      if file.lines[line].has("```") { isCode.toggle() }
      guard !isCode, let number = Self.number(in: file.lines[line]) else { return nil }
      return Finding(
        path: file.path, line: line + 1,
        message: "say what \(number) means, or leave it out: the documentation is public")
    }
  }

  /// Returns the lines of the comment above a declaration, also with attributes between them.
  private func documentation(above index: Int, in file: SourceFile) -> Range<Int> {
    var end = index
    while end > 0, !file.lines[end - 1].trimmed.hasPrefix("///") {
      // A declaration, a blank line or a brace above: there is no documentation.
      let text = file.codeLines[end - 1].trimmed
      // The end of an attribute that takes several lines, as macros have.
      if text == ")", let first = file.lines[..<end].lastIndex(where: { $0.trimmed.first == "@" }),
        !file.lines[first..<end].contains(where: \.trimmed.isEmpty)
      {
        end = first
        continue
      }
      guard
        text.first == "@" || text.hasPrefix("nonisolated")
          || text.last.map({ ",(".contains($0) }) == true
      else { return index..<index }
      end -= 1
    }
    var start = end
    while start > 0, file.lines[start - 1].trimmed.hasPrefix("///") { start -= 1 }
    return start..<end
  }

  /// Returns the first number of a line, such as `B12`.
  private static func number(in line: Substring) -> Substring? {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.first { word in
      guard let letter = word.first, "BFIMHX".contains(letter), (2...4).contains(word.utf8.count)
      else { return false }
      return word.dropFirst().allSatisfy { ("0"..."9").contains($0) }
    }
  }
}
