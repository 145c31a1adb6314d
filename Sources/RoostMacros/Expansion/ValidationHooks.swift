// SPDX-License-Identifier: Apache-2.0

/// The methods `validate<Key>` of an entity class, and the member that calls them by key (B151).
///
/// Such a method has a name that continues with a capital letter, and one `inout` parameter:
/// `func validateName(_ name: inout String) throws`.
struct ValidationHooks {
  private enum Element {
    case method(name: String)
    case directive(String)
  }

  private var elements: [Element] = []
  /// Whether a method is there under a condition of compilation only.
  private var hasCondition = false

  init(_ type: TypeNode, in list: TokenList) {
    var depth = 0
    for member in type.members {
      switch member {
      case .method(let node) where Self.isHook(node, list):
        elements.append(.method(name: node.name))
        if depth > 0 { hasCondition = true }
      case .directive(let kind, let text):
        if kind == .opens { depth += 1 }
        if kind == .closes { depth -= 1 }
        elements.append(.directive(text))
      default: break
      }
    }
  }

  /// The names that the properties of the methods can have.
  var keys: [String] { methods.flatMap(Self.keys) }

  private var methods: [String] {
    elements.compactMap { element in
      if case .method(let name) = element { return name }
      return nil
    }
  }

  /// The member; none when the class has no such methods.
  func members(_ modifier: String) -> [String] {
    guard !methods.isEmpty else { return [] }
    var lines = [
      "\(modifier)override func _runValidationHook(",
      "  _ value: inout Value, forKey key: String",
      ") throws {",
      "  switch key {",
    ]
    for element in elements {
      switch element {
      case .method(let name):
        let keys = Self.keys(of: name).map(\.literal).joined(separator: ", ")
        lines.append("  case \(keys): try _judge(&value, forKey: key, self.\(name))")
      case .directive(let text):
        if hasCondition { lines.append("  \(text)") }
      }
    }
    return lines + [
      "  default: try super._runValidationHook(&value, forKey: key)",
      "  }",
      "}",
    ]
  }

  private static let stem = "validate"

  private static func isHook(_ node: MethodNode, _ list: TokenList) -> Bool {
    guard !node.isStatic, node.name.hasPrefix(stem),
      node.name.dropFirst(stem.count).first?.isUppercase == true,
      list.split(node.parameters).count == 1
    else { return false }
    return node.parameters.contains { list.isWord($0, "inout") }
  }

  /// `validateName` is about `name`; `validateURL` may be about `URL`.
  private static func keys(of method: String) -> [String] {
    let plain = String(method.dropFirst(stem.count))
    return [plain.prefix(1).lowercased() + plain.dropFirst(), plain]
  }
}
