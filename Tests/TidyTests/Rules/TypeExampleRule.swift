// SPDX-License-Identifier: Apache-2.0

/// The documentation of each public type must have an example.
struct TypeExampleRule: TidyRule {
  /// The types that may be without, by the path of their file.
  let allowed: [String: Set<String>]

  private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "actor"]

  init(without allowed: [String: Set<String>]) {
    self.allowed = allowed
  }

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct else { return [] }
    var missing: [(line: Int, name: String)] = []
    for (index, line) in file.codeLines.enumerated() {
      guard let declaration = PublicDeclaration(line: line),
        Self.kinds.contains(declaration.keyword),
        !hasExample(above: index, in: file)
      else { continue }
      missing.append((index + 1, declaration.name))
    }
    let allowance = allowed[file.path] ?? []
    var found = missing.filter { !allowance.contains($0.name) }.map {
      Finding(path: file.path, line: $0.line, message: "\($0.name) has no example")
    }
    for name in allowance.subtracting(missing.map(\.name)).sorted() {
      found.append(
        Finding(
          path: file.path, line: 1,
          message: "\(name) has an example or is gone: take it off the list"))
    }
    return found
  }

  private func hasExample(above index: Int, in file: SourceFile) -> Bool {
    var line = index - 1
    while line >= 0 {
      let text = file.lines[line].trimmed
      guard text.hasPrefix("///") || text.first == "@" else { return false }
      if text.has("/// ```") { return true }
      line -= 1
    }
    return false
  }
}
