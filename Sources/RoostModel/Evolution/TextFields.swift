// SPDX-License-Identifier: Apache-2.0

/// The members of an object of a text, by name and type.
struct TextFields {
  private let nodes: [String: TextNode]
  /// How faults call the object.
  private let label: String

  /// - Parameter label: How faults call the object, as `entity`.
  init(_ node: TextNode, _ label: String) throws(TextFault) {
    guard case .object(let fields) = node else { throw TextFault("the \(label) is no object") }
    nodes = Dictionary(fields.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
    self.label = label
  }

  subscript(name: String) -> TextNode? { nodes[name] }

  /// A text that may be missing.
  func text(ifPresent name: String) throws(TextFault) -> String? {
    switch nodes[name] {
    case nil: return nil
    case .text(let text)?: return text
    default: throw TextFault("“\(name)” of the \(label) is no text")
    }
  }

  /// A text that must be there.
  func text(_ name: String) throws(TextFault) -> String {
    guard let text = try text(ifPresent: name) else {
      throw TextFault("the \(label) has no “\(name)”")
    }
    return text
  }

  /// A whole number; 0 when it is missing.
  func number(_ name: String) throws(TextFault) -> Int {
    switch nodes[name] {
    case nil: return 0
    case .number(let number)?:
      if let number = Int(exactly: number) { return number }
      throw TextFault("“\(name)” of the \(label) is too large")
    default: throw TextFault("“\(name)” of the \(label) is no number")
    }
  }

  /// A truth value; false when it is missing.
  func flag(_ name: String) throws(TextFault) -> Bool {
    switch nodes[name] {
    case nil: return false
    case .flag(let isTrue)?: return isTrue
    default: throw TextFault("“\(name)” of the \(label) is no truth value")
    }
  }

  /// A list; empty when it is missing.
  func list(_ name: String) throws(TextFault) -> [TextNode] {
    switch nodes[name] {
    case nil: return []
    case .list(let nodes)?: return nodes
    default: throw TextFault("“\(name)” of the \(label) is no list")
    }
  }

  /// A list of texts; empty when it is missing.
  func texts(_ name: String) throws(TextFault) -> [String] {
    try list(name).texts(name)
  }
}

extension [TextNode] {
  /// The texts of a list that has nothing else.
  func texts(_ name: String) throws(TextFault) -> [String] {
    var result: [String] = []
    for node in self {
      guard case .text(let text) = node else { throw TextFault("“\(name)” has more than texts") }
      result.append(text)
    }
    return result
  }
}
