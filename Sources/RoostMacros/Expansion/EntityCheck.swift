// SPDX-License-Identifier: Apache-2.0

/// Finds the reasons why a class, or a property of it, cannot belong to a model.
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
    guard let superclass = type.inheritedTypes.first else {
      return .noSuperclass(
        type.name, offset: place, end: place + type.name.utf8.count)
    }
    let name = list.text(superclass)
    guard Self.foreignTypes.contains(name.split(separator: ".").last.map(String.init) ?? "") else {
      return nil
    }
    let start = offset + list.offset(superclass.lowerBound)
    return .foreignSuperclass(name, offset: start, end: start + name.utf8.count)
  }

  /// Types that are often written in the place of the superclass, and are never a class of managed objects.
  private static let foreignTypes: Set<String> = [
    "AnyObject", "CaseIterable", "Codable", "Comparable", "CustomStringConvertible", "Decodable",
    "Encodable", "Equatable", "Error", "Hashable", "Identifiable", "NSObject", "Observable",
    "ObservableObject", "PersistentModel", "Sendable",
  ]

  /// Returns errors for arguments that the macro itself evaluates and that are no literals.
  func unfitArguments() -> [Diagnostic] {
    let arguments = type.prefix.attributes(named: [MacroName.entity]).first?.arguments ?? []
    return arguments.compactMap { argument in
      guard argument.label == "values", !["true", "false"].contains(list.text(argument.value))
      else {
        return nil
      }
      return .noLiteral(offset: offset + list.offset(argument.value.lowerBound))
    }
  }

  /// The macros about several properties that stand where not every program has them.
  func conditionalMacros() -> [Diagnostic] {
    var depth = 0
    var found: [Diagnostic] = []
    for member in type.members {
      switch member {
      case .directive(.opens, _): depth += 1
      case .directive(.closes, _): depth -= 1
      case .macro(let node) where depth > 0 && KeyPathMacro.names.contains(node.name):
        found.append(.conditionalMacro(node.name, offset: offset + list.offset(node.start)))
      default: break
      }
    }
    return found
  }

  /// The conformances that nothing can be written for, unless the class does it itself.
  func unfitConformances() -> [Diagnostic] {
    let decodes = type.members.contains { member in
      if case .initializer(let node) = member { return node.labels == ["from"] }
      return false
    }
    let encodes = type.members.contains { member in
      if case .method(let node) = member { return node.name == "encode" }
      return false
    }
    return type.inheritedTypes.dropFirst().compactMap { range in
      let name = list.text(range)
      let isMissing =
        switch name.split(separator: ".").last {
        case "Codable": !decodes || !encodes
        case "Decodable": !decodes
        case "Encodable": !encodes
        default: false
        }
      guard isMissing else { return nil }
      return .codable(name, of: type.name, offset: offset + list.offset(range.lowerBound))
    }
  }

  /// Returns the errors of the properties, in order.
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
    if Self.reservedNames.contains(name.withoutBackticks) {
      return .reserved(name.withoutBackticks, offset: place)
    }
    if let wrapper = EntityOutline.wrapper(of: node) {
      let start = offset + list.offset(wrapper.start)
      let end = wrapper.arguments.last.map { $0.range.upperBound + 1 } ?? wrapper.start + 2
      return .wrapper(wrapper.name, of: name, at: start..<offset + list.offset(end))
    }
    if let storage = EntityOutline.unmodelledStorage(node) {
      return .storage(storage, of: name, offset: place)
    }
    if node.accessors == .observers { return .observers(of: name, offset: place) }
    guard let type = node.type else {
      return .noType(of: name, offset: place, guess: node.initialValue.flatMap(list.literalType))
    }
    guard TypeText(type, in: list).isClearlyNoAttribute else { return nil }
    return .noAttribute(
      list.text(type), of: name, offset: offset + list.offset(type.lowerBound))
  }

  /// Members of `ManagedObject` that a property must not redeclare.
  private static let reservedNames: Set<String> = [
    "debugDescription", "description", "entity", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID",
  ]

  private func isGeneric(_ node: SyntaxNode) -> Bool {
    DeclarationParser(node.source).type()?.isGeneric == true
  }
}

extension TokenList {
  /// The type that a literal has by default; nil for other expressions.
  func literalType(_ value: Range<Int>) -> String? {
    guard value.count == 1, let index = value.first else { return nil }
    let text = text(index)
    return switch tokens[index].kind {
    case .string: "String"
    case .number: text.contains(".") && !text.hasPrefix("0x") ? "Double" : "Int"
    case .word: ["true", "false"].contains(text) ? "Bool" : nil
    default: nil
    }
  }
}
