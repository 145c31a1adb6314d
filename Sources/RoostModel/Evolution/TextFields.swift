// SPDX-License-Identifier: Apache-2.0

/// Typed access to the members of a text's object by name.
struct TextFields {
  private let nodes: [String: TextNode]
  /// The name of the object in faults.
  private let label: String

  /// - Parameter label: How faults call the object, as `entity`.
  init(_ node: TextNode, _ label: String) throws(TextFault) {
    guard case .object(let fields) = node else { throw TextFault("the \(label) is no object") }
    nodes = Dictionary(fields.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
    self.label = label
  }

  subscript(name: String) -> TextNode? { nodes[name] }

  /// Returns an optional text.
  func text(ifPresent name: String) throws(TextFault) -> String? {
    switch nodes[name] {
    case nil: return nil
    case .text(let text)?: return text
    default: throw TextFault("“\(name)” of the \(label) is no text")
    }
  }

  /// Returns a required text.
  func text(_ name: String) throws(TextFault) -> String {
    guard let text = try text(ifPresent: name) else {
      throw TextFault("the \(label) has no “\(name)”")
    }
    return text
  }

  /// Returns an integer; 0 when it is missing.
  func number(_ name: String) throws(TextFault) -> Int {
    switch nodes[name] {
    case nil: return 0
    case .number(let number)?:
      if let number = Int(exactly: number) { return number }
      throw TextFault("“\(name)” of the \(label) is too large")
    default: throw TextFault("“\(name)” of the \(label) is no number")
    }
  }

  /// Returns a Boolean; false when it is missing.
  func flag(_ name: String) throws(TextFault) -> Bool {
    switch nodes[name] {
    case nil: return false
    case .flag(let isTrue)?: return isTrue
    default: throw TextFault("“\(name)” of the \(label) is no truth value")
    }
  }

  /// Returns a list; empty when it is missing.
  func list(_ name: String) throws(TextFault) -> [TextNode] {
    switch nodes[name] {
    case nil: return []
    case .list(let nodes)?: return nodes
    default: throw TextFault("“\(name)” of the \(label) is no list")
    }
  }

  /// Returns a list of texts; empty when it is missing.
  func texts(_ name: String) throws(TextFault) -> [String] {
    try list(name).texts(name)
  }
}

extension [TextNode] {
  /// Returns the texts of a list that contains only texts.
  func texts(_ name: String) throws(TextFault) -> [String] {
    var result: [String] = []
    for node in self {
      guard case .text(let text) = node else { throw TextFault("“\(name)” has more than texts") }
      result.append(text)
    }
    return result
  }
}
