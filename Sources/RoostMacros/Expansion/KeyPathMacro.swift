// SPDX-License-Identifier: Apache-2.0

/// The arguments of `#Unique<Person>([\.email], [\.country, \.number])` and `#Index`: lists of key paths, which the
/// compiler has checked, and whose text says the names of the properties.
struct KeyPathMacro {
  static let names: Set<String> = [MacroName.unique, MacroName.index]

  /// The names of the properties of each list, with dots for the elements of composites.
  private(set) var lists: [[String]] = []
  /// The first token of what is no list of key paths that are written out.
  private(set) var unread: [Int] = []

  init(_ macro: MacroNode, in list: TokenList) {
    for argument in macro.arguments {
      let value = argument.value
      guard list.isByte(value.lowerBound, Byte.openBracket),
        list.closer(of: value.lowerBound) == value.upperBound - 1
      else {
        unread.append(value.lowerBound)
        continue
      }
      var names: [String] = []
      for element in list.split(value.lowerBound + 1..<value.upperBound - 1) {
        if let name = Self.name(element, in: list) {
          names.append(name)
        } else {
          unread.append(element.lowerBound)
        }
      }
      if names.isEmpty { unread.append(value.lowerBound) } else { lists.append(names) }
    }
  }

  /// The names along a key path: `\.email`, `\Person.email`, `\.address.city`; nil for anything else.
  private static func name(_ path: Range<Int>, in list: TokenList) -> String? {
    guard path.count >= 3, list.isByte(path.lowerBound, Byte.backslash) else { return nil }
    var names: [String] = []
    // After the backslash names and dots take turns, and a name is last.
    var expectsName = !list.isByte(path.lowerBound + 1, Byte.dot)
    let isRelative = !expectsName
    for index in path.dropFirst() {
      guard expectsName ? list.isName(index) : list.isByte(index, Byte.dot) else { return nil }
      if expectsName { names.append(list.text(index).withoutBackticks) }
      expectsName.toggle()
    }
    if !isRelative { names.removeFirst() }
    guard !expectsName, !names.isEmpty, names.last != "self" else { return nil }
    return names.joined(separator: ".")
  }
}

/// `#Unique` and `#Index` themselves: `@Entity` reads them, and they expand to nothing. They know best when nobody will
/// read them.
struct KeyPathMacroCheck {
  private let request: FreestandingRequest
  private let parser: DeclarationParser

  init(_ request: FreestandingRequest) {
    self.request = request
    parser = DeclarationParser(request.syntax.source)
  }

  func expansion() -> ExpansionResult {
    let list = parser.list
    guard let macro = parser.freestandingMacro(at: 0, limit: list.count),
      KeyPathMacro.names.contains(macro.name)
    else {
      return ExpansionResult(
        diagnostics: [
          Diagnostic(
            sentence: "the plugin has no macro '\(request.macro.typeName)'",
            offset: request.syntax.location.offset)
        ])
    }
    let start = offset(of: macro.start)
    guard let owner, owner.keyword == "class",
      !owner.prefix.attributes(named: [MacroName.entity]).isEmpty
    else {
      return ExpansionResult(
        source: "", diagnostics: [.outsideEntity(macro: macro.name, offset: start)])
    }
    var diagnostics = KeyPathMacro(macro, in: list).unread.map {
      Diagnostic.unreadKeyPath(macro.name, offset: offset(of: $0))
    }
    if let other = otherClass(macro, owner) {
      diagnostics.append(
        .otherClass(macro.name, other, owner: owner.name, offset: start))
    }
    return ExpansionResult(source: "", diagnostics: diagnostics)
  }

  /// The type whose member the macro is; nil for a macro of a file or a function.
  private var owner: TypeNode? {
    request.lexicalContext?.first.flatMap { DeclarationParser($0.source).type() }
  }

  /// The class that the macro names, where it is another than the one that it stands in.
  private func otherClass(_ macro: MacroNode, _ owner: TypeNode) -> String? {
    guard let range = macro.typeArguments else { return nil }
    let last = parser.list.text(range.upperBound - 1).withoutBackticks
    return last == owner.name.withoutBackticks ? nil : parser.list.text(range)
  }

  private func offset(of index: Int) -> Int {
    request.syntax.location.offset + parser.list.offset(index)
  }
}
