// SPDX-License-Identifier: Apache-2.0

/// The methods that change a to-many relationship without reading it: `addToPeople(_:)` and the others that Core Data
/// generates. A property has them when it is marked with `@Relationship`, since the type alone does not tell whether
/// an array holds objects or values.
struct RelationshipMutators {
  private let list: TokenList
  private let names: EntityNames
  private let elements: [EntityOutline.Element]
  /// The methods that the class declares itself, which are not generated.
  private let declared: Set<String>

  init(_ type: TypeNode, _ outline: EntityOutline, in list: TokenList) {
    self.list = list
    names = EntityNames(type, in: list)
    elements = outline.elements
    declared = Set(
      type.members.compactMap { member in
        if case .method(let node) = member { return node.name }
        return nil
      })
  }

  /// The members, within the conditions of compilation of their properties.
  func members() -> [String] {
    let lines = elements.flatMap { element in
      switch element {
      case .directive(let text, _): [text]
      case .property(let node, let number): methods(for: node, number)
      }
    }
    return lines.contains { !$0.hasPrefix("#") } ? lines : []
  }

  private func methods(for node: PropertyNode, _ number: PropertyNumber) -> [String] {
    guard !node.prefix.attributes(named: [MacroName.relationship]).isEmpty, let range = node.type,
      let name = node.name?.withoutBackticks, !EntityOutline.isRefused(node, in: list)
    else { return [] }
    let type = TypeText(range, in: list)
    guard type.isCollection else { return [] }
    let key = name.prefix(1).uppercased() + name.dropFirst()
    let access = modifier(of: node)
    let text = list.text(range)
    let view = "(\(type.isSet ? "_members" : "_list")(\(names.expression(number))) as "
    let members =
      "\(view)\(type.isSet ? "MutableObjectSet" : "MutableObjectList")<\(text).Element>)"
    func method(_ name: String, _ parameters: String, _ call: String) -> [String] {
      if declared.contains(name) { return [] }
      return ["\(access)func \(name)(\(parameters)) {", "  \(members).\(call)", "}"]
    }
    let (add, addAll) = type.isSet ? ("insert", "formUnion(") : ("append", "append(contentsOf: ")
    var lines =
      method("addTo\(key)", "_ value: \(text).Element", "\(add)(value)")
      + method("addTo\(key)", "_ values: \(text)", "\(addAll)values)")
      + method("removeFrom\(key)", "_ value: \(text).Element", "remove(value)")
      + method("removeFrom\(key)", "_ values: \(text)", "subtract(values)")
    guard !type.isSet else { return lines }
    lines += method(
      "insertInto\(key)", "_ value: \(text).Element, at index: Int", "insert(value, at: index)")
    lines += method("removeFrom\(key)", "at index: Int", "remove(at: index)")
    lines += method(
      "replace\(key)", "at index: Int, with value: \(text).Element",
      "replaceObject(at: index, with: value)")
    return lines
  }

  /// Returns the access modifier of the methods: that of the property's setter.
  private func modifier(of node: PropertyNode) -> String {
    let levels = ["private", "fileprivate", "internal", "package", "public", "open"]
    let setter = levels.first { node.prefix.hasModifier("\($0)(set)") }
    let level = setter ?? levels.first { node.prefix.hasModifier($0) }
    return level.map { $0 == "open" ? "public " : $0 + " " } ?? ""
  }
}

extension TypeText {
  /// Whether the type is written as a set or an array.
  fileprivate var isCollection: Bool { isSet || isArray }
}
