// SPDX-License-Identifier: Apache-2.0

/// A declaration that is visible to users of the package.
struct PublicDeclaration {
  /// `class`, `func`, `var`, ...
  let keyword: String
  /// The name, without parameters.
  let name: String
  let isOverride: Bool

  private static let keywords: Set<String> = [
    "class", "struct", "enum", "protocol", "actor", "func", "var", "let", "init", "subscript",
    "typealias", "associatedtype", "macro", "case",
  ]
  private static let modifiers: Set<String> = [
    "public", "open", "final", "static", "override", "required", "convenience", "indirect",
    "mutating", "nonmutating", "nonisolated", "lazy", "weak", "unowned", "prefix", "postfix",
    "infix", "dynamic", "consuming", "borrowing", "nonisolated(unsafe)", "unowned(unsafe)",
  ]

  /// The public declaration that begins on a line; nil when there is none.
  init?(line: Substring) {
    guard line.has("public ") || line.has("open ") else { return nil }
    var words = line.split(separator: " ")[...]
    var isPublic = false
    var isOverride = false
    while let word = words.first {
      let text = String(word)
      if Self.keywords.contains(text.prefix { $0.isLetter }.description), !Self.isModifier(words) {
        break
      }
      guard Self.isSkippable(text) || Self.isModifier(words) else { return nil }
      if text == "public" || text == "open" { isPublic = true }
      if text == "override" { isOverride = true }
      words.removeFirst()
    }
    guard isPublic, let first = words.first else { return nil }
    keyword = first.prefix { $0.isLetter }.description
    self.isOverride = isOverride
    name = Self.name(keyword, words.dropFirst().first ?? "")
  }

  private static func name(_ keyword: String, _ word: Substring) -> String {
    if keyword == "init" || keyword == "subscript" { return keyword }
    let name = word.prefix { !"(<:={".contains($0) }
    // An operator is its own name.
    return String(name.isEmpty ? word.prefix { $0 != "(" } : name)
  }

  /// `class` is a modifier before another declaration.
  private static func isModifier(_ words: ArraySlice<Substring>) -> Bool {
    guard words.first == "class" else { return false }
    return words.dropFirst().first.map { $0 == "func" || $0 == "var" } ?? false
  }

  private static func isSkippable(_ word: String) -> Bool {
    // Attributes with arguments are split at blanks; their parts end with a comma or a parenthesis.
    word.first == "@" || word.first == "\"" || modifiers.contains(word)
      || word.last.map { "),:".contains($0) } == true
  }
}
