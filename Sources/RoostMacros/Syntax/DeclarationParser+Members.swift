// SPDX-License-Identifier: Apache-2.0

extension DeclarationParser {
  /// Cuts the body of a type into its members.
  func members(in body: Range<Int>) -> [BodyElement] {
    var elements: [BodyElement] = []
    var index = body.lowerBound
    while index < body.upperBound {
      if list.isByte(index, Byte.semicolon) {
        index += 1
      } else if list.tokens[index].kind == .directive {
        let text = list.text(index)
        elements.append(.directive(kind: DirectiveKind(text), text: text))
        index += 1
      } else {
        let prefix = prefix(at: index, limit: body.upperBound)
        let start = prefix.map { $0.keyword + 1 } ?? list.index(after: index)
        let end = endOfMember(from: start, limit: body.upperBound)
        let macro = freestandingMacro(at: index, limit: end).map(BodyElement.macro)
        elements.append(prefix.map { member($0, limit: end) } ?? macro ?? .other)
        index = end
      }
    }
    return elements
  }

  /// The macro that stands at `index` as a declaration of its own; nil for anything else.
  func freestandingMacro(at index: Int, limit: Int) -> MacroNode? {
    guard list.isByte(index, Byte.hash), list.isName(index + 1), index + 1 < limit else {
      return nil
    }
    var next = index + 2
    var name = list.text(index + 1)
    while list.isByte(next, Byte.dot), list.isName(next + 1), next + 1 < limit {
      name = list.text(next + 1)
      next += 2
    }
    var node = MacroNode(name: name.withoutBackticks, start: index, arguments: [])
    if list.isByte(next, Byte.less), next < limit {
      let end = indexAfterAngleGroup(next, limit: limit)
      if next + 1 < end - 1 { node.typeArguments = next + 1..<end - 1 }
      next = end
    }
    if list.isByte(next, Byte.openParenthesis), next < limit {
      node.arguments = arguments(ofGroupAt: next, limit: limit)
    }
    return node
  }

  private func member(_ prefix: DeclarationPrefix, limit: Int) -> BodyElement {
    if let property = property(prefix, limit: limit) { return .property(property) }
    let name = prefix.keyword + 1
    if Self.typeKeywords.contains(where: { list.isWord(prefix.keyword, $0) }), list.isName(name),
      name < limit
    {
      return .type(name: list.text(name).withoutBackticks, keyword: list.text(prefix.keyword))
    }
    return initializer(prefix, limit: limit).map(BodyElement.initializer)
      ?? method(prefix, limit: limit).map(BodyElement.method) ?? .other
  }

  private static let typeKeywords = ["struct", "enum", "class", "actor", "typealias"]

  /// The initializer after a prefix; nil when the keyword is another.
  private func initializer(_ prefix: DeclarationPrefix, limit: Int) -> InitializerNode? {
    guard list.isWord(prefix.keyword, "init") else { return nil }
    var open = prefix.keyword + 1
    while open < limit, !list.isByte(open, Byte.openParenthesis) { open += 1 }
    guard open < limit, list.closer(of: open) < limit else { return nil }
    let parameters = list.split(open + 1..<list.closer(of: open))
    let first = parameters.first.map { parameter in
      let colon = parameter.first { list.isByte($0, Byte.colon) } ?? parameter.upperBound - 1
      return list.text(min(colon + 1, parameter.upperBound)..<parameter.upperBound)
    }
    return InitializerNode(
      prefix: prefix, labels: parameters.map { list.text($0.lowerBound).withoutBackticks },
      firstType: first ?? "", body: list.closer(of: open) + 1..<limit)
  }

  /// The method after a prefix; nil when the keyword is another, or the method is an operator or generic.
  func method(_ prefix: DeclarationPrefix, limit: Int) -> MethodNode? {
    let name = prefix.keyword + 1
    let open = name + 1
    guard list.isWord(prefix.keyword, "func"), open < limit, list.isName(name),
      list.isByte(open, Byte.openParenthesis), list.closer(of: open) < limit
    else { return nil }
    return MethodNode(
      prefix: prefix, name: list.text(name), parameters: open + 1..<list.closer(of: open))
  }

  /// Returns the end of the member whose keyword is before `start`: at a semicolon, or where a line begins a new one.
  func endOfMember(from start: Int, limit: Int) -> Int {
    var index = min(start, limit)
    var chainDepth = 0
    while index < limit {
      let token = list.tokens[index]
      if list.isByte(index, Byte.semicolon) { return index }
      if token.kind == .directive {
        // `#if` may also be inside a chain of calls: `make()` `#if DEBUG` `.logged()` `#endif`.
        let kind = DirectiveKind(list.text(index))
        if kind == .opens, chainDepth > 0 || list.isByte(index + 1, Byte.dot) {
          chainDepth += 1
        } else if chainDepth == 0 {
          return index
        } else if kind == .closes {
          chainDepth -= 1
        }
      } else if token.startsLine, chainDepth == 0, !continues(index), beginsMember(index, limit) {
        return index
      }
      index = min(list.index(after: index), limit)
    }
    return limit
  }

  /// Whether the token before the line continues the member on it.
  private func continues(_ index: Int) -> Bool {
    Self.unfinishedBytes.contains { list.isByte(index - 1, $0) }
      || Self.unfinishedWords.contains { list.isWord(index - 1, $0) } || endsInfix(index - 1)
      || list.isArrowHead(index - 1)
  }

  /// Whether the token ends an infix operator: one with white space before it.
  private func endsInfix(_ index: Int) -> Bool {
    var start = index
    while isOperator(start), list.isAdjacent(start), isOperator(start - 1) { start -= 1 }
    return isOperator(start) && !list.isAdjacent(start)
  }

  private func isOperator(_ index: Int) -> Bool {
    Self.operatorBytes.contains { list.isByte(index, $0) }
  }

  private static let operatorBytes = Array("/=-+!*%<>&|^~?".utf8)

  private static let unfinishedBytes = [
    Byte.colon, Byte.equal, Byte.comma, Byte.dot, Byte.ampersand,
  ]
  private static let unfinishedWords = ["if", "case", "is", "as", "try", "await"]

  private func beginsMember(_ index: Int, _ limit: Int) -> Bool {
    if list.isByte(index, Byte.at), list.isName(index + 1) { return true }
    if list.isByte(index, Byte.hash), list.isName(index + 1) { return true }
    return prefix(at: index, limit: limit) != nil
  }

  // MARK: - Properties

  /// The variable or constant after a prefix; nil when the keyword is another.
  func property(_ prefix: DeclarationPrefix, limit: Int) -> PropertyNode? {
    let keyword = prefix.keyword
    guard list.isWord(keyword, "var") || list.isWord(keyword, "let"), keyword + 1 < limit else {
      return nil
    }
    let nameIndex = keyword + 1
    var node = PropertyNode(
      prefix: prefix, isVariable: list.isWord(keyword, "var"),
      name: list.isName(nameIndex) ? list.text(nameIndex) : nil, nameIndex: nameIndex,
      accessors: .none)
    var index = min(list.index(after: nameIndex), limit)
    if list.isByte(index, Byte.colon), index < limit {
      let end = endOfType(from: index + 1, limit: limit)
      if index + 1 < end { node.type = index + 1..<end }
      index = end
    }
    if list.isByte(index, Byte.equal), index < limit {
      let end = endOfInitialValue(from: index + 1, limit: limit)
      if index + 1 < end { node.initialValue = index + 1..<end }
      index = end
    }
    if list.isByte(index, Byte.openBrace), index < limit {
      node.accessors = hasObservers(index) ? .observers : .computed
    } else if list.isByte(index, Byte.comma), index + 1 < limit {
      node.furtherBinding = index + 1
    }
    return node
  }

  private func endOfType(from start: Int, limit: Int) -> Int {
    var index = start
    var angles = 0
    while index < limit {
      if list.isByte(index, Byte.less) { angles += 1 }
      if list.isByte(index, Byte.greater), !list.isArrowHead(index) { angles -= 1 }
      if list.isByte(index, Byte.equal) || list.isByte(index, Byte.openBrace) { return index }
      if list.isByte(index, Byte.comma), angles <= 0 { return index }
      index = min(list.index(after: index), limit)
    }
    return limit
  }

  private func endOfInitialValue(from start: Int, limit: Int) -> Int {
    var index = start
    while index < limit {
      let next = min(list.index(after: index), limit)
      if list.isByte(index, Byte.openBrace), next == limit, hasObservers(index) { return index }
      if list.isByte(index, Byte.comma), beginsBinding(index + 1, limit) { return index }
      index = next
    }
    return limit
  }

  /// Whether a variable is declared after a comma: `b: Int`, `b = 1`. A comma in `Pair<Int, Int>(1, 2)` is no such
  /// one.
  private func beginsBinding(_ index: Int, _ limit: Int) -> Bool {
    guard list.isName(index), index < limit else { return false }
    return index + 1 >= limit || list.isByte(index + 1, Byte.colon)
      || list.isByte(index + 1, Byte.equal)
  }

  /// Whether the braces at `index` hold `willSet` or `didSet`.
  private func hasObservers(_ index: Int) -> Bool {
    let end = list.closer(of: index)
    var inner = index + 1
    while inner < end, list.isByte(inner, Byte.at), list.isName(inner + 1) {
      inner += 2
      if list.isByte(inner, Byte.openParenthesis) { inner = list.index(after: inner) }
    }
    return list.isWord(inner, "willSet") || list.isWord(inner, "didSet")
  }
}
