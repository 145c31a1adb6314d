// SPDX-License-Identifier: Apache-2.0

/// Finds what keeps a class, or a property of it, from belonging to a model.
struct EntityCheck {
  private let type: TypeNode
  private let list: TokenList
  private let context: [SyntaxNode]
  /// Where the class's source begins in its file.
  private let offset: Int

  init(_ type: TypeNode, _ list: TokenList, context: [SyntaxNode], offset: Int) {
    self.type = type
    self.list = list
    self.context = context
    self.offset = offset
  }

  /// The reason why the type is no entity, if there is one.
  func unfitType() -> Diagnostic? {
    let place = offset + list.offset(type.nameIndex)
    if type.keyword != "class" {
      return .entityNeedsClass("'\(type.name)' (\(type.keyword))", offset: place)
    }
    if type.isGeneric || context.contains(where: isGeneric) {
      return .genericEntity(type.name, offset: place)
    }
    return type.inheritedTypes.isEmpty ? .noSuperclass(type.name, offset: place) : nil
  }

  /// What is wrong with the properties, in order.
  func unfitProperties() -> [Diagnostic] {
    type.members.compactMap { member in
      guard case .property(let node) = member, EntityOutline.mayBeModelled(node) else { return nil }
      return diagnostic(for: node)
    }
  }

  private func diagnostic(for node: PropertyNode) -> Diagnostic? {
    let place = offset + list.offset(node.nameIndex)
    guard let name = node.name else { return .pattern(offset: place) }
    if let further = node.furtherBinding {
      return .severalVariables(offset: offset + list.offset(further))
    }
    if let storage = EntityOutline.unmodelledStorage(node) {
      return .storage(storage, of: name, offset: place)
    }
    if node.accessors == .observers { return .observers(of: name, offset: place) }
    guard let type = node.type else { return .noType(of: name, offset: place) }
    guard TypeText(type, in: list).isClearlyNoAttribute else { return nil }
    return .noAttribute(
      list.text(type), of: name, offset: offset + list.offset(type.lowerBound))
  }

  private func isGeneric(_ node: SyntaxNode) -> Bool {
    DeclarationParser(node.source).type()?.isGeneric == true
  }
}
