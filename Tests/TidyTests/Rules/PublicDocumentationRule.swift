// SPDX-License-Identifier: Apache-2.0

/// Public means promised, and a promise is written down.
struct PublicDocumentationRule: TidyRule {
  /// Requirements of the standard library, whose protocols say what they do.
  private static let witnesses: Set<String> = [
    "==", "<", "hash", "encode", "description", "debugDescription", "errorDescription",
    "rawValue", "makeIterator", "next", "startIndex", "endIndex", "hashValue",
  ]
  /// Requirements of our own `AttributeValue`, which each type of an attribute repeats.
  private static let attributeValue: Set<String> = [
    "attributeType", "attributeValue", "isOptionalValue",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct else { return [] }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() {
      guard let declaration = PublicDeclaration(line: line) else { continue }
      guard needsDocumentation(declaration, line), !isDocumented(index, in: file) else { continue }
      let name = "\(declaration.keyword) \(declaration.name)"
      found.append(
        Finding(path: file.path, line: index + 1, message: "\(name) has no documentation"))
    }
    return found
  }

  private func needsDocumentation(_ declaration: PublicDeclaration, _ line: Substring) -> Bool {
    // An underscore says: visible to the optimiser and to macros, not to you.
    if declaration.isOverride || declaration.name.hasPrefix("_") { return false }
    if declaration.keyword == "init" {
      return !line.has("init(rawValue") && !line.has("init(from ")
        && !line.has("Literal ") && !line.has("init?(_ value: Value)")
    }
    return !Self.witnesses.contains(declaration.name)
      && !Self.attributeValue.contains(declaration.name)
  }

  private func isDocumented(_ index: Int, in file: SourceFile) -> Bool {
    var line = index - 1
    while let start = attributeStart(endingAt: line, in: file) { line = start - 1 }
    guard line >= 0 else { return false }
    let text = file.lines[line].trimmed
    return text.hasPrefix("///") || text.hasSuffix("*/")
  }

  /// The first line of the attribute or modifier that ends on a line, which may take several.
  private func attributeStart(endingAt line: Int, in file: SourceFile) -> Int? {
    guard line >= 0, !file.lines[line].trimmed.hasPrefix("//") else { return nil }
    if file.codeLines[line].trimmed.hasPrefix("nonisolated(") { return line }
    var open = 0
    for start in stride(from: line, through: max(0, line - 8), by: -1) {
      let code = file.codeLines[start].trimmed
      open += code.count { $0 == ")" } - code.count { $0 == "(" }
      if code.first == "@" { return open == 0 ? start : nil }
      if open <= 0 { return nil }
    }
    return nil
  }
}
