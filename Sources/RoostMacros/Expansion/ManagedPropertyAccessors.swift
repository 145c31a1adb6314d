// SPDX-License-Identifier: Apache-2.0

/// `@_ManagedProperty`: the accessors that read and write the object's row.
struct ManagedPropertyAccessors {
  private let request: ExpansionRequest

  init(_ request: ExpansionRequest) {
    self.request = request
  }

  func expansion() -> ExpansionResult {
    let parser = DeclarationParser(request.declSyntax.source)
    guard let property = parser.property(), let number = numberExpression() else {
      return ExpansionResult(
        diagnostics: [
          Diagnostic(
            sentence: "'@_ManagedProperty' is written by '@Entity' only",
            offset: request.attributeSyntax.location.offset)
        ])
    }
    // A property that is reported elsewhere gets accessors that compile, so that it is reported only once.
    if number == Self.refused || EntityOutline.isRefused(property, in: parser.list) {
      return ExpansionResult(source: "{\nget { fatalError() }\nset { fatalError() }\n}")
    }
    let inlinesGetter = isInlinable(property)
    let inlinesSetter = inlinesGetter && !property.prefix.restrictsSetter
    // A property with its own codec is stored as bytes, even where a row could hold its type.
    let isTransformed = property.prefix.attributes.contains { attribute in
      attribute.name == "Attribute" && attribute.arguments.contains { $0.label == "transformer" }
    }
    let suffix = isTransformed ? "Transformed" : ""
    let lines = [
      "{",
      "\(inlinesGetter ? "@inlinable " : "")get { self._get\(suffix)(\(number)) }",
      "\(inlinesSetter ? "@inlinable " : "")set { self._set\(suffix)(\(number), newValue) }",
      "}",
    ]
    return ExpansionResult(source: lines.joined(separator: "\n"))
  }

  /// The placeholder for the number of a property whose class cannot be an entity.
  static let refused = "!"

  /// The expression in the attribute's only argument, a string literal without escapes.
  private func numberExpression() -> String? {
    let attribute = TokenList(request.attributeSyntax.source)
    guard let index = attribute.tokens.firstIndex(where: { $0.kind == .string }) else { return nil }
    let text = attribute.text(index)
    guard text.utf8.count > 2, !text.contains("\\") else { return nil }
    return String(text.dropFirst().dropLast())
  }

  /// Whether the property, its class and all enclosing types are public.
  private func isInlinable(_ property: PropertyNode) -> Bool {
    guard let context = request.lexicalContext, !context.isEmpty else { return false }
    return AccessLevel(of: property.prefix, context: context).isInlinable
  }
}
