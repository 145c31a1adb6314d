// SPDX-License-Identifier: Apache-2.0

/// The struct `Values` of an entity class, and the members that make objects of it.
///
/// Code that does not depend on the class is in `EntityValues`, so that the expansion adds little more than two lines
/// for each attribute. The class and its values number properties in the same way.
struct ValueMembers {
  /// A property whose syntax shows that it is an attribute.
  private struct Attribute {
    let node: PropertyNode
    let number: PropertyNumber
    /// Whether it is inside a conditional compilation block: then no initializer has a parameter for it.
    let isConditional: Bool
  }

  private let type: TypeNode
  private let list: TokenList
  private let names: EntityNames
  private let access: AccessLevel
  private let elements: [EntityOutline.Element]

  init(
    _ type: TypeNode, _ outline: EntityOutline, in list: TokenList, _ access: AccessLevel
  ) {
    self.type = type
    self.list = list
    self.access = access
    names = EntityNames(type, in: list)
    elements = outline.elements
  }

  /// The members; none when the class does not want them, or declares a type of the name itself.
  func members() -> [String] {
    guard !isRefused, !declaresType("Values") else { return [] }
    var lines: [String] = []
    if names.supertype != nil { lines.append("@dynamicMemberLookup") }
    lines += [
      "nonisolated \(access.modifier)struct Values: EntityValues {",
      "  \(access.modifier)typealias _Object = \(names.type)",
      "  \(access.modifier)var _list: AttributeValueList",
      "  \(access.modifier)init(_list: AttributeValueList) { self._list = _list }",
    ]
    lines += initializer + properties
    if let supertype = names.supertype {
      lines += [
        "  \(access.modifier)subscript<T>(dynamicMember path: "
          + "WritableKeyPath<\(supertype)._OwnValues, T>) -> T {",
        "    get { _inherited(path) }",
        "    set { _setInherited(path, newValue) }",
        "  }",
      ]
    }
    // Subclasses ask for this name: a class without values has those of the class above it, or none.
    return lines + ["}", "\(access.modifier)typealias _OwnValues = Values"] + objectMembers
  }

  // MARK: - Facts about the class

  private func argument(_ label: String, is word: String) -> Bool {
    let entity = type.prefix.attributes(named: [MacroName.entity]).first
    return entity?.arguments.contains { argument in
      argument.label == label && list.text(argument.value) == word
    } ?? false
  }

  private var isRefused: Bool { argument("values", is: "false") }

  private func declaresType(_ name: String) -> Bool {
    type.members.contains { member in
      if case .type(name, _) = member { return true }
      return false
    }
  }

  /// The nested types whose values are not managed objects.
  private var valueTypes: Set<String> {
    Set(
      type.members.compactMap { member in
        if case .type(let name, "struct") = member { return name }
        if case .type(let name, "enum") = member { return name }
        return nil
      })
  }

  private var declaresValues: Bool {
    type.members.contains { member in
      switch member {
      case .property(let node): node.name == "values"
      case .method(let node): node.name == "values"
      default: false
      }
    }
  }

  private func declaresInitializer(_ labels: [String], firstType: [String]? = nil) -> Bool {
    type.members.contains { member in
      guard case .initializer(let node) = member, node.labels == labels else { return false }
      return firstType?.contains(node.firstType) ?? true
    }
  }

  // MARK: - Attributes

  private var attributes: [Attribute] {
    var depth = 0
    var known: Set<String> = []
    return elements.compactMap { element in
      switch element {
      case .directive(let text, _):
        switch DirectiveKind(text) {
        case .opens: depth += 1
        case .closes: depth -= 1
        default: break
        }
        return nil
      case .property(let node, let number):
        // The compiler reports a second property of a name once.
        guard isAttribute(node), depth > 0 || known.insert(node.name ?? "").inserted else {
          return nil
        }
        return Attribute(node: node, number: number, isConditional: depth > 0)
      }
    }
  }

  /// Whether a property is certainly a stored, not computed, attribute. An unmarked property whose type is declared
  /// elsewhere may be a relationship, unless its initial value rules that out.
  private func isAttribute(_ node: PropertyNode) -> Bool {
    guard node.prefix.attributes(named: [MacroName.relationship]).isEmpty,
      let range = node.type
    else { return false }
    if let macro = node.prefix.attributes(named: [MacroName.attribute]).first {
      return !macro.arguments.contains { argument in
        argument.label == "derivation"
          || argument.label == nil && list.text(argument.value).hasSuffix(".transient")
      }
    }
    if let value = node.initialValue, !["nil", "[]"].contains(list.text(value)) { return true }
    return TypeText(range, in: list).isClearlyValue(valueTypes)
  }

  private func isTransformed(_ node: PropertyNode) -> Bool {
    node.prefix.attributes(named: [MacroName.attribute])
      .contains { $0.arguments.contains { $0.label == "transformer" } }
  }

  private var properties: [String] {
    var waiting = attributes[...]
    return elements.flatMap { element -> [String] in
      switch element {
      case .directive(let text, _): return ["  \(text)"]
      case .property(let node, _):
        guard let next = waiting.first, next.node.nameIndex == node.nameIndex,
          let name = node.name, let range = node.type
        else { return [] }
        waiting.removeFirst()
        let suffix = isTransformed(node) ? "Transformed" : ""
        let place = names.expression(next.number)
        return [
          "  \(modifier(Level(of: node)))var \(name): \(list.text(range)) "
            + "{ get { _get\(suffix)(\(place)) } set { _set\(suffix)(\(place), newValue) } }"
        ]
      }
    }
  }

  // MARK: - Initializers

  private struct Parameter {
    let name: String
    let text: String
    /// Whether the initial value is made when the parameter is nil.
    let isReplacing: Bool
  }

  /// A private attribute that needs no value is left to its initial value.
  private var parameters: [Attribute] {
    attributes.filter { attribute in
      let node = attribute.node
      let needsValue = node.initialValue == nil && !isOptional(node)
      return !attribute.isConditional && (needsValue || Level(of: node) > .fileprivate)
    }
  }

  private func isOptional(_ node: PropertyNode) -> Bool {
    guard let range = node.type, let first = range.first, let last = range.last else {
      return false
    }
    return list.isByte(last, Byte.question) || list.isByte(last, Byte.exclamation)
      || list.isWord(first, "Optional")
  }

  private func parameter(_ attribute: Attribute) -> Parameter? {
    guard let name = attribute.node.name, let range = attribute.node.type else { return nil }
    let type = TypeText(range, in: list)
    guard let value = attribute.node.initialValue else {
      let text = "\(name): \(list.text(range))"
      return Parameter(
        name: name, text: isOptional(attribute.node) ? "\(text) = nil" : text, isReplacing: false)
    }
    if list.isLiteral(value) {
      return Parameter(
        name: name, text: "\(name): \(list.text(range)) = \(list.text(value))", isReplacing: false)
    }
    // The expression may refer to less visible declarations than the initializer, and must be evaluated in one place
    // only.
    return Parameter(name: name, text: "\(name): \(type.optional) = nil", isReplacing: true)
  }

  /// The access level of the least visible parameter.
  private var initializerModifier: String {
    modifier(parameters.map { Level(of: $0.node) }.min() ?? .public)
  }

  private var base: (parameter: String, argument: String)? {
    names.supertype.map { ("_ _base: \($0)._OwnValues", "_base") }
  }

  private var initializer: [String] {
    let parameters = parameters.compactMap(parameter)
    let texts = (base.map { [$0.parameter] } ?? []) + parameters.map(\.text)
    let list = base == nil ? "\(names.type).self" : "\(names.type).self, _base"
    return [
      "  \(initializerModifier)init(\(texts.joined(separator: ", "))) {",
      "    _list = AttributeValueList(\(list))",
    ]
      + parameters.map { parameter in
        let name = parameter.name
        return parameter.isReplacing
          ? "    if let \(name) { self.\(name) = \(name) }" : "    self.\(name) = \(name)"
      } + ["  }"]
  }

  private var objectMembers: [String] {
    var lines: [String] = []
    // A class below another would have two properties of the name, of different types.
    if names.supertype == nil, !declaresValues {
      lines.append("\(access.modifier)var values: Values { Values(self) }")
    }
    guard !argument("abstract", is: "true") else { return lines }
    if !declaresInitializer(["_", "context"], firstType: ["Values", "\(names.type).Values"]) {
      lines += [
        "\(access.modifier)convenience init(_ values: Values, context: ManagedObjectContext) {",
        "  self.init(context: context)",
        "  values._write(to: self)",
        "}",
      ]
    }
    let parameters = parameters.compactMap(parameter)
    let labels = (base == nil ? [] : ["_"]) + parameters.map(\.name.withoutBackticks) + ["context"]
    guard !parameters.isEmpty, !labels.dropLast().contains("context"),
      !declaresInitializer(labels)
    else { return lines }
    let texts = (base.map { [$0.parameter] } ?? []) + parameters.map(\.text)
    let arguments =
      (base.map { [$0.argument] } ?? []) + parameters.map { "\($0.name.asLabel): \($0.name)" }
    return lines + [
      "@_disfavoredOverload",
      "\(initializerModifier)convenience init(\(texts.joined(separator: ", ")), "
        + "context: ManagedObjectContext) {",
      "  self.init(context: context)",
      "  Values(\(arguments.joined(separator: ", ")))._write(to: self)",
      "}",
    ]
  }

  // MARK: - Access

  private enum Level: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    init(of node: PropertyNode) {
      let levels: [(String, Level)] = [
        ("private", .private), ("fileprivate", .fileprivate), ("package", .package),
        ("public", .public), ("open", .public),
      ]
      self = levels.first { node.prefix.hasModifier($0.0) }?.1 ?? .internal
    }

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns the modifier for a member with the access level `level`, limited by that of the class.
  private func modifier(_ level: Level) -> String {
    switch level {
    // The class must be able to access it.
    case .private, .fileprivate: "fileprivate "
    case .internal: ""
    case .package: access.modifier.isEmpty ? "" : "package "
    case .public: access.modifier
    }
  }
}

extension String {
  /// The name before the colon of an argument, where keywords need no backticks.
  fileprivate var asLabel: String {
    let bare = withoutBackticks
    let isWord = bare.utf8.allSatisfy(Byte.isWordPart) && bare.utf8.first.map(Byte.isDigit) != true
    return isWord && !["inout", "var", "let"].contains(bare) ? bare : self
  }
}

extension TypeText {
  /// The type with room for nil.
  fileprivate var optional: String {
    let text = String(metatype.dropLast(".self".count))
    return text + "?"
  }
}
