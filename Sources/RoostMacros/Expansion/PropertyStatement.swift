// SPDX-License-Identifier: Apache-2.0

/// The expression that declares a property of an entity, or an element of a composite.
struct PropertyStatement {
  private let node: PropertyNode
  private let list: TokenList

  init(_ node: PropertyNode, in list: TokenList) {
    self.node = node
    self.list = list
  }

  /// The property's name as in the source.
  var name: String { node.name ?? "" }

  /// The expression.
  var declaration: String {
    let macro = node.prefix.attributes(named: [MacroName.attribute, MacroName.relationship]).first
    let isRelationship = macro?.name == MacroName.relationship
    var arguments = [
      (node.name ?? "").withoutBackticks.literal,
      (isRelationship ? ".to" : ".of") + "(\(type))",
    ]
    for argument in MacroArguments.ordered(macro) {
      let inverse = isRelationship ? InverseKeyPath(argument, in: list) : nil
      arguments.append(inverse?.expression ?? text(argument.range))
    }
    if !isRelationship, let value = node.initialValue, !list.isLiteral(value) {
      arguments.append("renewsDefault: true")
    }
    let function = isRelationship ? "relationship" : "property"
    return "PropertyDeclaration.\(function)(\(arguments.joined(separator: ", ")))"
  }

  /// The type and the initial value, which the compiler must type-check together.
  private var type: String {
    let type = TypeText(node.type ?? 0..<0, in: list).metatype
    guard let value = initialValue else { return type }
    return "\(type), default: \(value)"
  }

  /// The initial value as in the source; nil when there is none.
  var initialValue: String? { node.initialValue.map(text) }

  /// Returns a piece of the source, with a line break after a directive, so that more code can follow.
  private func text(_ range: Range<Int>) -> String {
    let text = list.text(range)
    guard let last = range.last, list.tokens[last].kind == .directive else { return text }
    return text + "\n"
  }
}
