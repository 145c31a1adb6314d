// SPDX-License-Identifier: Apache-2.0

/// `@Entity`, as far as it adds members to the class: the declaration of the entity and the numbers of its properties.
struct EntityMembers {
  private let request: ExpansionRequest
  private let parser: DeclarationParser

  init(_ request: ExpansionRequest) {
    self.request = request
    parser = DeclarationParser(request.declSyntax.source)
  }

  func expansion() -> ExpansionResult {
    guard let type = parser.type() else {
      return ExpansionResult(
        diagnostics: [
          .entityNeedsClass("This", offset: request.attributeSyntax.location.offset)
        ])
    }
    let check = EntityCheck(
      type, parser.list, context: request.lexicalContext ?? [],
      offset: request.declSyntax.location.offset)
    if let first = type.prefix.attributes(named: [MacroName.entity]).first, isFurther(than: first) {
      return ExpansionResult(
        source: "",
        diagnostics: [
          .repeated(
            MacroName.entity, after: MacroName.entity,
            offset: request.attributeSyntax.location.offset)
        ])
    }
    if let unfit = check.unfitType() { return ExpansionResult(diagnostics: [unfit]) }
    let initializers = InitializerCheck(
      type, parser.list, offset: request.declSyntax.location.offset)
    let access = AccessLevel(of: type.prefix, context: request.lexicalContext ?? [])
    return ExpansionResult(
      source: members(type) + initializers.substitute(access),
      diagnostics: check.unfitArguments() + check.unfitProperties()
        + check.unfitConformances() + check.conditionalMacros() + initializers.unfit)
  }

  /// Whether the macro is written a second time.
  private func isFurther(than first: AttributeNode) -> Bool {
    let place = TokenList(request.attributeSyntax.source).offset(0)
    return request.attributeSyntax.location.offset + place
      > request.declSyntax.location.offset + parser.list.offset(first.start)
  }

  private func members(_ type: TypeNode) -> String {
    let names = EntityNames(type, in: parser.list)
    let outline = EntityOutline(type.members)
    let access = AccessLevel(of: type.prefix, context: request.lexicalContext ?? [])
    let number = "\(access.isInlinable ? "@inlinable " : "")\(access.modifier)static var"
    var lines = [
      "\(access.overridableModifier)override class var _entityDeclaration: EntityDeclaration? {",
      "  \(names.scope)._declaration",
      "}",
      "nonisolated \(access.modifier)enum \(names.scope) {",
      "  fileprivate static let _declaration: EntityDeclaration = {",
      "    var _properties: [PropertyDeclaration] = []",
    ]
    lines += outline.elements.map(statement)
    lines += [
      "    return EntityDeclaration(",
      "      \(arguments(type, names).joined(separator: ",\n      ")))",
      "  }()",
      "  \(number) _base: Int { \(names.inheritedCount ?? "0") }",
      "  \(number) _count: Int { _base + \(names.ownCount(outline.total)) }",
    ]
    for (index, block) in outline.blocks.enumerated() where block.hasProperties {
      lines += definition(of: block, number: "\(number) \(names.block(index)): Int", names)
    }
    lines.append("}")
    lines += ValidationHooks(type, in: parser.list).members(access.overridableModifier)
    lines += RelationshipMutators(type, outline, in: parser.list).members()
    lines += ValueMembers(type, outline, in: parser.list, access).members()
    return lines.joined(separator: "\n")
  }

  /// The count of one block, whichever of its alternatives is compiled.
  private func definition(
    of block: EntityOutline.Block, number: String, _ names: EntityNames
  ) -> [String] {
    var lines = block.clauses.flatMap { clause in
      ["  \(clause.directive)", "  \(number) { \(names.ownCount(clause.count)) }"]
    }
    if !block.hasElse { lines += ["  #else", "  \(number) { 0 }"] }
    return lines + ["  #endif"]
  }

  private func arguments(_ type: TypeNode, _ names: EntityNames) -> [String] {
    var arguments = [names.entity.literal, "class: \(names.type).self"]
    if let supertype = names.supertype { arguments.append("superclass: \(supertype).self") }
    let entity = type.prefix.attributes(named: [MacroName.entity]).first
    arguments += (entity?.arguments ?? []).filter { $0.label != "values" }
      .map { parser.list.text($0.range) }
    if declaresValidation { arguments.append("ownValidation: true") }
    for (name, label) in [(MacroName.unique, "uniquePaths"), (MacroName.index, "indexPaths")] {
      let lists = keyPaths(of: name, in: type)
      if !lists.isEmpty { arguments.append("\(label): [\(lists.joined(separator: ", "))]") }
    }
    let keys = ValidationHooks(type, in: parser.list).keys.map(\.literal)
    if !keys.isEmpty { arguments.append("validatedKeys: [\(keys.joined(separator: ", "))]") }
    return arguments + ["properties: _properties"]
  }

  /// The lists of properties that the macros of a name in the body of the class name, as array literals.
  private func keyPaths(of name: String, in type: TypeNode) -> [String] {
    type.members.flatMap { member -> [String] in
      guard case .macro(let node) = member, node.name == name else { return [] }
      return KeyPathMacro(node, in: parser.list).lists.map { names in
        "[\(names.map(\.literal).joined(separator: ", "))]"
      }
    }
  }

  /// Whether the class may validate values itself: then each value is passed to it; otherwise none has to be made.
  private var declaresValidation: Bool {
    let words = parser.list.tokens.indices.map { String(parser.list.text($0..<($0 + 1))) }
    return zip(words, words.dropFirst()).contains { $0 == "func" && $1 == "validate" }
  }

  // MARK: - Properties

  private func statement(_ element: EntityOutline.Element) -> String {
    switch element {
    case .directive(let text, _): "    \(text)"
    case .property(let node, _):
      EntityOutline.isRefused(node, in: parser.list)
        ? "" : "    _properties.append(\(PropertyStatement(node, in: parser.list).declaration))"
    }
  }
}
