// SPDX-License-Identifier: Apache-2.0

/// Finds initializers, and stored properties outside of the model, that prevent the class from making the objects of
/// its records. The compiler would report them without a line, or at the class.
struct InitializerCheck {
  private let type: TypeNode
  private let list: TokenList
  /// Where the class's source begins in its file.
  private let offset: Int
  private let initializers: [InitializerNode]

  init(_ type: TypeNode, _ list: TokenList, offset: Int) {
    self.type = type
    self.list = list
    self.offset = offset
    initializers = type.members.compactMap { member in
      if case .initializer(let node) = member { return node }
      return nil
    }
  }

  /// The errors, in order.
  var unfit: [Diagnostic] { overrides + missing }

  /// Returns an initializer that keeps the compiler from reporting the same errors again; empty when there are none,
  /// or when the class has the initializer.
  func substitute(_ access: AccessLevel) -> String {
    guard !missing.isEmpty || hasRefusedStorage else { return "" }
    return """

      \(access.modifier)required init(
        entity: EntityDescription, insertInto context: ManagedObjectContext?
      ) { fatalError() }
      """
  }

  /// Whether a variable is left without accessors, and without a value, since its property wrapper is reported.
  private var hasRefusedStorage: Bool {
    initializers.allSatisfy { $0.prefix.hasModifier("convenience") }
      && type.members.contains { member in
        guard case .property(let node) = member else { return false }
        return EntityOutline.mayBeModelled(node) && EntityOutline.wrapper(of: node) != nil
      }
  }

  /// The reasons why the class does not have `init(entity:insertInto:)`.
  private var missing: [Diagnostic] {
    guard !initializers.contains(where: \.isRequired) else { return [] }
    let designated = initializers.filter { !$0.prefix.hasModifier("convenience") }
    guard designated.isEmpty else {
      return designated.map { .initializer(offset: place($0.prefix.keyword)) }
    }
    return type.members.compactMap { member in
      guard case .property(let node) = member, isWithoutValue(node), let name = node.name else {
        return nil
      }
      return .uninitialized(name, offset: place(node.nameIndex))
    }
  }

  private func isWithoutValue(_ node: PropertyNode) -> Bool {
    guard !node.isStatic, node.initialValue == nil, node.accessors == .none, node.name != nil,
      let last = node.type?.last, !node.prefix.hasModifier("override"),
      !node.prefix.modifiers.contains(where: { $0.hasPrefix("weak") || $0 == "lazy" })
    else { return false }
    if !node.isVariable { return true }
    return !node.prefix.attributes(named: [MacroName.unmodeled]).isEmpty
      && !list.isByte(last, Byte.question) && !list.isByte(last, Byte.exclamation)
      && node.prefix.attributes.count == 1
  }

  /// The overrides that call the superclass's `init(entity:)`, which makes an object of the entity's class. In a
  /// class below another entity class the call may lead to an override of it.
  private var overrides: [Diagnostic] {
    guard EntityNames(type, in: list).supertype == nil else { return [] }
    return initializers.filter(\.isRequired).compactMap { node in
      node.body.first { index in
        list.isWord(index, "super") && list.isWord(index + 2, "init")
          && list.isByte(index + 3, Byte.openParenthesis) && list.isWord(index + 4, "entity")
      }.map { index in
        let start = place(index + 4)
        return .override(offset: start, end: start + "entity".utf8.count)
      }
    }
  }

  private func place(_ index: Int) -> Int { offset + list.offset(index) }
}
