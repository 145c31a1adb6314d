// SPDX-License-Identifier: Apache-2.0

/// Where the compiler's proof of safety is switched off, a comment gives another one.
struct UnsafeProofRule: TidyRule {
  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.text.has("@unchecked") || file.text.has("nonisolated(unsafe)") else {
      return []
    }
    var found: [Finding] = []
    for (index, code) in file.codeLines.enumerated() {
      guard code.has("@unchecked") || code.has("nonisolated(unsafe)") else { continue }
      guard !hasComment(above: index, in: file) else { continue }
      found.append(
        Finding(path: file.path, line: index + 1, message: "unsafe, and no comment proves it"))
    }
    return found
  }

  private func hasComment(above index: Int, in file: SourceFile) -> Bool {
    if file.lines[index].has(" // ") { return true }
    var line = index - 1
    // Attributes may stand between the proof and the declaration, and its neighbours may share it.
    while line >= 0, isPassed(file.codeLines[line]) { line -= 1 }
    return line >= 0 && file.lines[line].trimmed.hasPrefix("//")
  }

  private func isPassed(_ code: Substring) -> Bool {
    code.trimmed.first == "@" || code.has("nonisolated(unsafe)")
  }
}
