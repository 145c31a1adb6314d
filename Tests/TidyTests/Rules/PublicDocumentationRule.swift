// SPDX-License-Identifier: Apache-2.0

/// Every public declaration must have documentation.
struct PublicDocumentationRule: TidyRule {
  /// Requirements of the standard library's protocols, which document them.
  private static let witnesses: Set<String> = [
    "==", "<", "hash", "encode", "description", "debugDescription", "errorDescription",
    "rawValue", "makeIterator", "next", "startIndex", "endIndex", "hashValue",
  ]
  /// Requirements of `PersistentStore`, its driver and the kit's harness, which document them.
  private static let contract: Set<String> = [
    "identity", "isReadOnly", "metadata", "prepare", "fetch", "plan", "rows", "destinations",
    "reserveSequences", "commit", "close", "open", "setMetadata", "destroy", "replace",
    "storeName", "optionNames", "isReopenable", "allowsSecondHandle", "makeEmptyStore", "drop",
  ]
  /// Requirements of our own `AttributeValue`, which each type of an attribute repeats.
  private static let attributeValue: Set<String> = [
    "attributeType", "attributeValue", "isOptionalValue",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct else { return [] }
    var found: [Finding] = []
    // Most files have no scope whose members are public without saying so.
    var scopes = file.text.has("public ") ? PublicScopes() : nil
    for (index, line) in file.codeLines.enumerated() {
      if let member = scopes?.member(on: line), !isDocumented(index, in: file) {
        found.append(
          Finding(path: file.path, line: index + 1, message: "\(member) has no documentation"))
      }
      guard let declaration = PublicDeclaration(line: line) else { continue }
      guard needsDocumentation(declaration, line, file), !isDocumented(index, in: file) else {
        continue
      }
      let name = "\(declaration.keyword) \(declaration.name)"
      found.append(
        Finding(path: file.path, line: index + 1, message: "\(name) has no documentation"))
    }
    return found
  }

  /// Whether a file implements a store or a harness: the contract itself is elsewhere.
  private func isStore(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("Backends/") || file.path.contains("/Reference/")
      || file.path.hasSuffix("StoreHarness.swift")
  }

  private func needsDocumentation(
    _ declaration: PublicDeclaration, _ line: Substring, _ file: SourceFile
  ) -> Bool {
    // An underscore marks declarations for the optimiser and for macros, not for programs.
    if declaration.isOverride || declaration.name.hasPrefix("_") { return false }
    if declaration.keyword == "init" {
      return !line.has("init(rawValue") && !line.has("init(from ")
        && !line.has("Literal ") && !line.has("init?(_ value: Value)")
    }
    return !Self.witnesses.contains(declaration.name)
      && !Self.attributeValue.contains(declaration.name)
      && !(isStore(file) && Self.contract.contains(declaration.name))
  }

  private func isDocumented(_ index: Int, in file: SourceFile) -> Bool {
    var line = index - 1
    while let attribute = attribute(endingAt: line, in: file) { line = attribute - 1 }
    guard line >= 0 else { return false }
    let text = file.lines[line].trimmed
    return text.hasPrefix("///") || text.hasSuffix("*/")
  }

  /// Returns the first line of the attribute that ends on a line; nil when none does.
  private func attribute(endingAt end: Int, in file: SourceFile) -> Int? {
    var line = end
    var open = 0
    while line >= 0 {
      let code = file.codeLines[line].trimmed
      if code.isEmpty { return nil }
      for byte in code.utf8 {
        if byte == UInt8(ascii: ")") { open += 1 }
        if byte == UInt8(ascii: "(") { open -= 1 }
      }
      if open == 0 { return code.first == "@" || code.hasPrefix("nonisolated") ? line : nil }
      line -= 1
    }
    return nil
  }
}
