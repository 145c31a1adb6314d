// SPDX-License-Identifier: Apache-2.0

/// Finds the reasons why a struct, or a property of it, cannot be a composite.
struct CompositeCheck {
  private let type: TypeNode
  private let list: TokenList
  private let context: [SyntaxNode]
  /// Where the struct's source begins in its file.
  private let offset: Int

  init(_ type: TypeNode, _ list: TokenList, context: [SyntaxNode], offset: Int) {
    self.type = type
    self.list = list
    self.context = context
    self.offset = offset
  }

  /// Whether a property is an element: a stored one that an initializer can set.
  static func isElement(_ node: PropertyNode) -> Bool {
    !node.isStatic && node.accessors != .computed
      && (node.isVariable || node.initialValue == nil)
      && node.prefix.attributes(named: [MacroName.unmodeled]).isEmpty
  }

  /// The reason why the type is no composite, if there is one.
  func unfitType() -> Diagnostic? {
    let place = offset + list.offset(type.nameIndex)
    if type.keyword != "struct" {
      return .compositeNeedsStruct("'\(type.name)' (\(type.keyword))", offset: place)
    }
    let isGeneric =
      type.isGeneric || context.contains { DeclarationParser($0.source).type()?.isGeneric == true }
    if isGeneric { return .genericComposite(type.name, offset: place) }
    let hasElement = type.members.contains { member in
      if case .property(let node) = member { return Self.isElement(node) }
      return false
    }
    return hasElement ? nil : .noElements(type.name, offset: place)
  }

  /// Returns the errors of the properties, in order.
  func unfitElements() -> [Diagnostic] {
    type.members.compactMap { member in
      guard case .property(let node) = member else { return nil }
      return Self.isElement(node) ? unfit(node) : unfitOther(node)
    }
  }

  private func unfit(_ node: PropertyNode) -> Diagnostic? {
    let place = offset + list.offset(node.nameIndex)
    guard let name = node.name else { return .elementPattern(offset: place) }
    if let further = node.furtherBinding {
      return .severalElements(offset: offset + list.offset(further))
    }
    if let wrapper = EntityOutline.wrapper(of: node) {
      return .elementStorage("@\(wrapper.name)", of: name, offset: place)
    }
    if let storage = EntityOutline.unmodelledStorage(node) {
      return .elementStorage(storage, of: name, offset: place)
    }
    guard let range = node.type else {
      return .noType(of: name, offset: place, guess: node.initialValue.flatMap(list.literalType))
    }
    if TypeText(range, in: list).isClearlyNoAttribute {
      return .noElement(
        list.text(range), of: name, offset: offset + list.offset(range.lowerBound))
    }
    return unfitOption(of: node)
  }

  /// Options of `@Attribute` that an element cannot have.
  private func unfitOption(of node: PropertyNode) -> Diagnostic? {
    let macro = node.prefix.attributes(named: [MacroName.attribute]).first
    for argument in macro?.arguments ?? [] {
      let place = offset + list.offset(argument.range.lowerBound)
      if let label = argument.label, ["transformer", "derivation"].contains(label) {
        return .elementOption("\(label):", offset: place)
      }
      if argument.label == nil, argument.value.last.map({ list.isWord($0, "transient") }) == true {
        return .elementOption(".transient", offset: place)
      }
    }
    return nil
  }

  /// The initializer that reads the elements cannot set a property that is none.
  private func unfitOther(_ node: PropertyNode) -> Diagnostic? {
    guard !node.isStatic, node.accessors != .computed, node.initialValue == nil,
      let name = node.name, let last = node.type?.last,
      !list.isByte(last, Byte.question), !list.isByte(last, Byte.exclamation)
    else { return nil }
    return .unsetElement(name, offset: offset + list.offset(node.nameIndex))
  }
}
