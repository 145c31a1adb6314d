// SPDX-License-Identifier: Apache-2.0

/// `@Composite`: the extension that makes a struct the type of composite attributes.
struct CompositeExtension {
  private let request: ExpansionRequest
  private let parser: DeclarationParser

  init(_ request: ExpansionRequest) {
    self.request = request
    parser = DeclarationParser(request.declSyntax.source)
  }

  func expansion() -> ExpansionResult {
    guard let type = parser.type() else {
      return ExpansionResult(
        source: "",
        diagnostics: [
          .compositeNeedsStruct("This", offset: request.attributeSyntax.location.offset)
        ])
    }
    let check = CompositeCheck(
      type, parser.list, context: request.lexicalContext ?? [],
      offset: request.declSyntax.location.offset)
    if let unfit = check.unfitType() { return ExpansionResult(source: "", diagnostics: [unfit]) }
    let unfit = check.unfitElements()
    let elements = unfit.isEmpty ? self.elements(of: type) : []
    let name = request.extendedTypeSyntax?.source.trimmed ?? type.name
    let access = AccessLevel(of: type.prefix, context: request.lexicalContext ?? []).modifier
    return ExpansionResult(
      source: source(name, access, elements, isRefused: !unfit.isEmpty), diagnostics: unfit)
  }

  // MARK: - Elements

  private enum Element {
    case property(PropertyNode)
    case directive(String)
  }

  private func elements(of type: TypeNode) -> [Element] {
    type.members.compactMap { member in
      switch member {
      case .property(let node): CompositeCheck.isElement(node) ? .property(node) : nil
      case .directive(_, let text): .directive(text)
      default: nil
      }
    }
  }

  // MARK: - Source

  /// - Parameter isRefused: Whether an error is reported: then the members only have to compile.
  private func source(
    _ name: String, _ access: String, _ elements: [Element], isRefused: Bool
  ) -> String {
    let refusal = isRefused ? ["    fatalError()"] : []
    let lines =
      [
        "extension \(name): CompositeValue {",
        "  nonisolated \(access)static let _composite: CompositeDeclaration = {",
        isRefused
          ? "    let _elements: [PropertyDeclaration] = []"
          : "    var _elements: [PropertyDeclaration] = []",
      ]
      + statements(elements) { "_elements.append(\($0.declaration))" }
      + [
        "    return CompositeDeclaration(\(name).self, elements: _elements)",
        "  }()",
        "  nonisolated \(access)init(_elements: inout CompositeReader) {",
      ]
      + statements(elements) { statement in
        let initial = statement.initialValue.map { "or: \($0)" } ?? ""
        return "self.\(statement.name) = _elements.read(\(initial))"
      } + refusal
      + [
        "  }",
        "  nonisolated \(access)func _write(to _elements: inout CompositeWriter) {",
      ]
      + statements(elements) { "_elements.write(self.\($0.name))" }
      + ["  }", "}"]
    return lines.joined(separator: "\n")
  }

  private func statements(
    _ elements: [Element], _ statement: (PropertyStatement) -> String
  ) -> [String] {
    elements.map { element in
      switch element {
      case .directive(let text): "    \(text)"
      case .property(let node): "    " + statement(PropertyStatement(node, in: parser.list))
      }
    }
  }
}
