// SPDX-License-Identifier: Apache-2.0

/// Finds the parts of a declaration: attributes, modifiers, names, types, initial values.
///
/// It does not parse expressions and types, but only finds their ends. The compiler has checked the grammar before
/// the expansion, so an unknown declaration is skipped and not reported.
struct DeclarationParser {
  let list: TokenList

  init(_ source: String) {
    list = TokenList(source)
  }

  /// The words that may precede the keyword of a declaration.
  static let modifiers: Set<String> = [
    "public", "private", "fileprivate", "internal", "package", "open", "static", "final",
    "override",
    "lazy", "weak", "unowned", "dynamic", "convenience", "required", "nonisolated", "optional",
    "indirect", "mutating", "nonmutating", "consuming", "borrowing", "isolated", "distributed",
    "prefix", "postfix", "infix",
  ]

  /// The keywords of declarations.
  static let keywords: Set<String> = [
    "var", "let", "func", "class", "struct", "enum", "actor", "extension", "protocol", "init",
    "deinit", "subscript", "typealias", "associatedtype", "import", "case", "macro", "operator",
    "precedencegroup",
  ]

  /// The most modifiers of a declaration; a longer sequence is no declaration.
  private static let mostModifiers = 24

  // MARK: - Before the keyword

  /// The attributes and modifiers at `start`, and the keyword after them; nil when no keyword follows.
  func prefix(at start: Int, limit: Int) -> DeclarationPrefix? {
    var prefix = DeclarationPrefix(keyword: start)
    var index = start
    while index < limit {
      if let (attribute, next) = attribute(at: index, limit: limit) {
        prefix.attributes.append(attribute)
        index = next
      } else if isModifier(index) {
        guard prefix.modifiers.count < Self.mostModifiers else { return nil }
        let next = indexAfterModifier(index, limit: limit)
        prefix.modifiers.append(modifierText(index..<next))
        index = next
      } else {
        break
      }
    }
    prefix.keyword = index
    return index < limit && isKeyword(index) ? prefix : nil
  }

  /// The attribute at `index` and the index after it.
  private func attribute(at index: Int, limit: Int) -> (AttributeNode, next: Int)? {
    guard list.isByte(index, Byte.at), list.isName(index + 1), index + 1 < limit else { return nil }
    var next = index + 2
    var name = list.text(index + 1)
    while list.isByte(next, Byte.dot), list.isName(next + 1), next + 1 < limit {
      name = list.text(next + 1)
      next += 2
    }
    if list.isByte(next, Byte.less), list.isAdjacent(next) {
      next = indexAfterAngleGroup(next, limit: limit)
    }
    var node = AttributeNode(name: name.withoutBackticks, start: index, arguments: [])
    if list.isByte(next, Byte.openParenthesis), list.isAdjacent(next), next < limit {
      node.arguments = arguments(ofGroupAt: next, limit: limit)
      next = min(list.index(after: next), limit)
    }
    return (node, next)
  }

  /// The arguments between the parentheses at `index`.
  func arguments(ofGroupAt index: Int, limit: Int) -> [ArgumentNode] {
    let end = min(list.closer(of: index), limit)
    return list.split(index + 1..<max(index + 1, end)).map { range in
      let isLabelled =
        range.count >= 2 && list.isName(range.lowerBound)
        && list.isByte(range.lowerBound + 1, Byte.colon)
      guard isLabelled else { return ArgumentNode(label: nil, range: range, value: range) }
      return ArgumentNode(
        label: list.text(range.lowerBound), range: range,
        value: range.lowerBound + 2..<range.upperBound)
    }
  }

  private func isModifier(_ index: Int) -> Bool {
    guard index < list.count, list.tokens[index].kind == .word else { return false }
    let word = list.text(index)
    if word == "class" { return Self.membersOfClasses.contains { list.isWord(index + 1, $0) } }
    guard Self.modifiers.contains(word) else { return false }
    // A word that is no keyword can be a name: `class open {}`, `func prefix()`.
    return list.isByte(index + 1, Byte.openParenthesis)
      || list.isByte(index + 1, Byte.at) || list.isName(index + 1)
  }

  private static let membersOfClasses = ["var", "func", "let", "subscript", "override", "final"]

  private func indexAfterModifier(_ index: Int, limit: Int) -> Int {
    let next = index + 1
    guard list.isByte(next, Byte.openParenthesis), next < limit else { return min(next, limit) }
    return min(list.index(after: next), limit)
  }

  private func modifierText(_ range: Range<Int>) -> String {
    range.count > 1
      ? range.map { list.text($0) }.joined() : list.text(range.lowerBound)
  }

  private func isKeyword(_ index: Int) -> Bool {
    guard list.tokens[index].kind == .word, Self.keywords.contains(list.text(index)) else {
      return false
    }
    // `actor`, `macro` and the like are names, too, unless a name follows.
    let isAlwaysKeyword = !["actor", "macro", "operator", "precedencegroup"]
      .contains(list.text(index))
    return isAlwaysKeyword || list.isName(index + 1)
  }

  /// The index after `<...>`, or after the `<` when nothing closes it.
  func indexAfterAngleGroup(_ index: Int, limit: Int) -> Int {
    var depth = 0
    var next = index
    while next < limit {
      if list.isByte(next, Byte.less) { depth += 1 }
      if list.isByte(next, Byte.greater), !list.isArrowHead(next) { depth -= 1 }
      next = min(list.index(after: next), limit)
      if depth == 0 { return next }
    }
    return index + 1
  }

  // MARK: - Types

  /// The type that the source declares; nil when it declares something else.
  func type() -> TypeNode? {
    guard let prefix = prefix(at: 0, limit: list.count), list.isName(prefix.keyword + 1) else {
      return nil
    }
    let keyword = list.text(prefix.keyword)
    guard ["class", "struct", "enum", "actor", "extension", "protocol"].contains(keyword) else {
      return nil
    }
    var index = prefix.keyword + 2
    while list.isByte(index, Byte.dot), list.isName(index + 1) { index += 2 }
    let isGeneric = list.isByte(index, Byte.less)
    if isGeneric { index = indexAfterAngleGroup(index, limit: list.count) }
    var brace = index
    while brace < list.count, !list.isByte(brace, Byte.openBrace) {
      brace = list.index(after: brace)
    }
    var header = index..<brace
    if let clause = header.first(where: { list.isWord($0, "where") }) {
      header = index..<clause
    }
    let inherited = list.isByte(index, Byte.colon) ? list.split(index + 1..<header.upperBound) : []
    let end = brace < list.count ? list.closer(of: brace) : brace
    return TypeNode(
      prefix: prefix, keyword: keyword, name: list.text(prefix.keyword + 1),
      nameIndex: prefix.keyword + 1, isGeneric: isGeneric, inheritedTypes: inherited,
      members: members(in: min(brace + 1, end)..<end))
  }

  /// The method that the source declares; nil when it declares something else.
  func method() -> MethodNode? {
    prefix(at: 0, limit: list.count).flatMap { method($0, limit: list.count) }
  }

  /// The property that the source declares; nil when it declares something else.
  func property() -> PropertyNode? {
    guard let prefix = prefix(at: 0, limit: list.count) else { return nil }
    return property(prefix, limit: endOfMember(from: prefix.keyword + 1, limit: list.count))
  }
}

extension TokenList {
  /// Whether the token is the second half of `->`.
  func isArrowHead(_ index: Int) -> Bool {
    isByte(index, Byte.greater) && isByte(index - 1, Byte.minus) && isAdjacent(index)
  }

  /// The parts of a range between the commas that are in no bracket. Empty parts, as after a last comma, are left out.
  func split(_ range: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    var angles = 0
    var index = start
    while index < range.upperBound {
      if isByte(index, Byte.less), isAdjacent(index) { angles += 1 }
      if isByte(index, Byte.greater), !isArrowHead(index), angles > 0 { angles -= 1 }
      if isByte(index, Byte.comma), angles == 0 {
        if start < index { parts.append(start..<index) }
        start = index + 1
      }
      index = min(self.index(after: index), range.upperBound)
    }
    if start < range.upperBound { parts.append(start..<range.upperBound) }
    return parts
  }
}
