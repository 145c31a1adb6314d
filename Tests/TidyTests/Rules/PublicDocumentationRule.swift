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
    while line >= 0, isAttribute(line, in: file) { line -= 1 }
    guard line >= 0 else { return false }
    let text = file.lines[line].trimmed
    return text.hasPrefix("///") || text.hasSuffix("*/")
  }

  private func isAttribute(_ line: Int, in file: SourceFile) -> Bool {
    let code = file.codeLines[line].trimmed
    // A line of its own with an attribute, or the tail of one that takes several lines.
    return code.first == "@" || (code.last == ")" && file.lines[line].has("\""))
  }
}
