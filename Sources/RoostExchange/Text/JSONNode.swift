// SPDX-License-Identifier: Apache-2.0

/// A JSON value. Numbers are kept as text, so that no digit is lost.
package enum JSONNode: Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(String)
  case text(String)
  case list([JSONNode])
  case object([Member])

  /// A name and its value, in the order of the text.
  package struct Member: Equatable, Sendable {
    var name: String
    var node: JSONNode

    init(_ name: String, _ node: JSONNode) {
      self.name = name
      self.node = node
    }
  }

  /// The kind of the value, for messages that must not show it.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a truth value"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  var isNull: Bool { self == .null }

  /// Whether the value is empty: null, or an object of only empty values, as dotted columns of CSV produce it.
  var hasNothing: Bool {
    switch self {
    case .null: true
    case .object(let members): members.allSatisfy(\.node.hasNothing)
    default: false
    }
  }
}
