// SPDX-License-Identifier: Apache-2.0

/// A function fits on a screen.
struct FunctionLengthRule: TidyRule {
  static let limit = 70

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() where Self.begins(line) {
      guard let end = Self.end(of: index, in: file.codeLines) else { continue }
      let length = end - index + 1
      guard length > Self.limit else { continue }
      found.append(
        Finding(
          path: file.path, line: index + 1,
          message: "a function of \(length) lines, at most \(Self.limit)"))
    }
    return found
  }

  /// Whether a function, initialiser, subscript or computed property begins on a line.
  static func begins(_ line: Substring) -> Bool {
    if line.has("func ") { return hasWord("func", in: line) }
    if line.has("init") || line.has("subscript") {
      let name = line.trimmed.split(whereSeparator: { " (<?!{".contains($0) })
        .first { !modifiers.contains(String($0)) && $0.first != "@" }
      return name == "init" || name == "deinit" || name == "subscript"
    }
    // A stored property with a closure as its value is a value, not a function.
    guard line.has("var "), line.last == "{", !line.has("=") else { return false }
    return hasWord("var", in: line)
  }

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "private", "fileprivate", "open", "final", "override",
    "required", "convenience", "static", "class", "nonisolated", "mutating", "indirect",
  ]

  private static func hasWord(_ word: String, in line: Substring) -> Bool {
    line.split(separator: " ").contains { $0 == word }
  }

  /// The line of the brace that closes the body; nil for a requirement without one.
  private static func end(of start: Int, in lines: [Substring]) -> Int? {
    var braces = 0
    var brackets = 0
    for index in start..<lines.count {
      if braces == 0, brackets == 0, index > start, endsRequirement(lines[index]) { return nil }
      for byte in lines[index].utf8 {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): if braces == 0 { brackets += 1 }
        case UInt8(ascii: ")"), UInt8(ascii: "]"): if braces == 0 { brackets -= 1 }
        case UInt8(ascii: "{") where brackets == 0 || braces > 0: braces += 1
        case UInt8(ascii: "}") where braces > 0:
          braces -= 1
          if braces == 0 { return index }
        case UInt8(ascii: "}") where brackets == 0: return nil
        default: break
        }
      }
    }
    return nil
  }

  /// Whether a line after a signature shows that the declaration had no body.
  private static func endsRequirement(_ line: Substring) -> Bool {
    let code = line.trimmed
    if code.isEmpty || code.first == "@" || code.first == "}" { return true }
    let first = code.prefix { $0 != " " && $0 != "(" && $0 != "<" }
    let declarations: Set<String> = [
      "func", "var", "let", "init", "subscript", "associatedtype", "typealias", "case", "#if",
      "#endif", "struct", "enum", "protocol", "extension", "import",
    ]
    return declarations.contains(String(first)) || modifiers.contains(String(first))
  }
}
