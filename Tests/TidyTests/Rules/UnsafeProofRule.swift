// SPDX-License-Identifier: Apache-2.0

/// Where the compiler's concurrency checking is switched off, a comment must justify it. A documentation comment does
/// not count.
struct UnsafeProofRule: TidyRule {
  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.text.has("@unchecked") || file.text.has("nonisolated(unsafe)") else {
      return []
    }
    var found: [Finding] = []
    for (index, code) in file.codeLines.enumerated() {
      guard code.has("@unchecked") || code.has("nonisolated(unsafe)") else { continue }
      guard !hasProof(at: index, in: file) else { continue }
      found.append(
        Finding(path: file.path, line: index + 1, message: "unsafe, and no comment proves it"))
    }
    return found
  }

  private func hasProof(at index: Int, in file: SourceFile) -> Bool {
    if file.lines[index].has(" // ") { return true }
    // The first line of a type's body, after a declaration of one line or some.
    var next = index
    while next + 1 < file.lines.count, !file.lines[next].trimmed.hasSuffix("{"), next < index + 4 {
      next += 1
    }
    if next + 1 < file.lines.count, file.lines[next + 1].trimmed.hasPrefix("// Sendable: ") {
      return true
    }
    var line = index - 1
    // Attributes may be between the comment and the declaration, and neighbouring declarations may share it.
    while line >= 0, isPassed(file.codeLines[line]) { line -= 1 }
    guard line >= 0 else { return false }
    let comment = file.lines[line].trimmed
    return comment.hasPrefix("//") && !comment.hasPrefix("///")
  }

  private func isPassed(_ code: Substring) -> Bool {
    code.trimmed.first == "@" || code.has("nonisolated(unsafe)")
  }
}
