// SPDX-License-Identifier: Apache-2.0

/// The number of a property among all properties of its entity, inherited ones first.
///
/// The number is known at expansion time, unless properties are between `#if` and `#endif`: then the compiler adds
/// the count of each such block.
struct PropertyNumber: Equatable {
  var count = 0
  var blocks: [Int] = []

  mutating func add(block: Int) { blocks.append(block) }
}

/// The part of a class that its entity is made of, in order.
struct EntityOutline {
  enum Element {
    case property(PropertyNode, PropertyNumber)
    case directive(String, block: Int)
  }

  /// The alternatives between an `#if` and its `#endif`, each with the count of its properties.
  struct Block {
    var clauses: [(directive: String, count: PropertyNumber)]
    var hasElse: Bool
    var hasProperties: Bool { clauses.contains { $0.count != PropertyNumber() } }
  }

  private(set) var elements: [Element] = []
  private(set) var blocks: [Block] = []
  /// The number of properties that the class itself declares.
  private(set) var total = PropertyNumber()
  private var open: [(block: Int, start: PropertyNumber)] = []

  /// Numbers the properties of a class.
  init(_ members: [BodyElement]) {
    for member in members {
      switch member {
      case .property(let node):
        if EntityOutline.isModelled(node) { add(node) }
      case .directive(let kind, let text):
        add(kind, text)
      case .method, .initializer, .type, .macro, .other:
        break
      }
    }
    let withProperties = blocks.map(\.hasProperties)
    elements.removeAll { element in
      if case .directive(_, let block) = element { return !withProperties[block] }
      return false
    }
  }

  /// Whether a property belongs to the entity.
  static func isModelled(_ node: PropertyNode) -> Bool {
    mayBeModelled(node) && node.name != nil && node.type != nil && node.furtherBinding == nil
      && node.accessors == .none && unmodelledStorage(node) == nil && wrapper(of: node) == nil
  }

  /// Whether a property has a type or an initial value that is reported: nothing is written for it that would be an
  /// error once more.
  static func isRefused(_ node: PropertyNode, in list: TokenList) -> Bool {
    guard let range = node.type else { return false }
    let type = TypeText(range, in: list)
    guard !node.prefix.attributes(named: [MacroName.relationship]).isEmpty else {
      return type.isClearlyNoAttribute
    }
    return type.isClearlyNoRelationship || type.optionalCollection != nil
      || destinations(of: node, in: list) != nil
  }

  /// Returns the initial value of a relationship, unless it only means that there are no destinations.
  static func destinations(of node: PropertyNode, in list: TokenList) -> Range<Int>? {
    node.initialValue.flatMap { ["nil", "[]"].contains(list.text($0)) ? nil : $0 }
  }

  /// Returns the attribute of a known property wrapper on a variable.
  static func wrapper(of node: PropertyNode) -> AttributeNode? {
    node.prefix.attributes(named: wrappers).first
  }

  private static let wrappers: Set<String> = [
    "NSManaged", "Published", "State", "StateObject", "ObservedObject", "Binding", "Bindable",
    "Environment", "AppStorage", "SceneStorage", "FocusState", "GestureState",
  ]

  /// Whether a property belongs to the entity, or would if it were declared correctly.
  static func mayBeModelled(_ node: PropertyNode) -> Bool {
    node.isVariable && !node.isStatic && node.accessors != .computed
      && !node.prefix.hasModifier("override")
      && node.prefix.attributes(named: [MacroName.unmodeled]).isEmpty
  }

  /// The modifier that gives a variable storage of its own kind.
  static func unmodelledStorage(_ node: PropertyNode) -> String? {
    for word in ["lazy", "weak", "unowned"] {
      let isThere = node.prefix.modifiers.contains { $0 == word || $0.hasPrefix(word + "(") }
      if isThere { return word }
    }
    return nil
  }

  private mutating func add(_ node: PropertyNode) {
    elements.append(.property(node, total))
    total.count += 1
    guard let block = open.last?.block else { return }
    blocks[block].clauses[blocks[block].clauses.count - 1].count.count += 1
  }

  private mutating func add(_ kind: DirectiveKind, _ text: String) {
    switch kind {
    case .opens:
      elements.append(.directive(text, block: blocks.count))
      open.append((blocks.count, total))
      blocks.append(Block(clauses: [(text, PropertyNumber())], hasElse: false))
    case .continues, .isElse:
      guard let (block, start) = open.last else { return }
      elements.append(.directive(text, block: block))
      blocks[block].clauses.append((text, PropertyNumber()))
      if kind == .isElse { blocks[block].hasElse = true }
      total = start
    case .closes:
      guard let (block, start) = open.popLast() else { return }
      elements.append(.directive(text, block: block))
      total = start
      guard blocks[block].hasProperties else { return }
      total.add(block: block)
      guard let outer = open.last?.block else { return }
      blocks[outer].clauses[blocks[outer].clauses.count - 1].count.add(block: block)
    }
  }
}
