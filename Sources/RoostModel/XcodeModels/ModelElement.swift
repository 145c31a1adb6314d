// SPDX-License-Identifier: Apache-2.0

/// An element of a model's XML.
struct ModelElement {
  let name: String
  /// The offset of the element in its file.
  let offset: Int
  fileprivate(set) var attributes: [String: String] = [:]
  fileprivate(set) var children: [ModelElement] = []
  /// The characters between the tags, without those of the children.
  fileprivate(set) var text = ""
  /// The processing cost of the element: 1 for itself and for each contained element, more for long texts.
  fileprivate(set) var weight = 1

  init(name: String, offset: Int) {
    self.name = name
    self.offset = offset
  }

  func children(named name: String) -> [ModelElement] {
    children.filter { $0.name == name }
  }

  /// Whether an attribute is `YES`; false for anything else.
  func isSet(_ attribute: String) -> Bool {
    attributes[attribute] == "YES"
  }

  /// Returns the value of an attribute; nil when it is missing or empty.
  func value(_ attribute: String) -> String? {
    attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the root element of a file.
  ///
  /// - Throws: `invalidModel` with line and column when the text is not XML, or contains what no model does: an
  ///   internal document type, custom entities, another encoding than UTF-8.
  static func parse(_ text: ModelText) throws(PersistenceError) -> ModelElement {
    var parser = ModelXMLParser(text)
    return try parser.document()
  }
}

/// A parser for Xcode's XML: strict, without recursion, and safe from expansion attacks: it supports only the five
/// predefined entities and character references.
private struct ModelXMLParser {
  /// The maximum nesting depth of elements. Models need six.
  private static let largestDepth = 64
  /// The maximum number of elements. The largest models of real programs have some thousand.
  private static let largestCount = 500_000

  private var scanner: ModelXMLScanner
  private var open: [ModelElement] = []
  private var root: ModelElement?
  private var count = 0

  init(_ text: ModelText) {
    scanner = ModelXMLScanner(text)
  }

  mutating func document() throws(PersistenceError) -> ModelElement {
    try scanner.skipProlog()
    while !scanner.isAtEnd {
      if try scanner.skipComment() { continue }
      if scanner.skip("<![CDATA[") {
        try append(try scanner.text(until: "]]>"))
      } else if scanner.skip("</") {
        try close()
      } else if scanner.peek == UInt8(ascii: "<") {
        try openElement()
      } else {
        try append(try scanner.characters())
      }
    }
    guard open.isEmpty, let root else {
      throw scanner.error(
        open.last.map { "The file ends inside the element “\($0.name)”." } ?? "There is no element."
      )
    }
    return root
  }

  private mutating func append(_ text: String) throws(PersistenceError) {
    if open.isEmpty {
      guard text.allSatisfy(\.isWhitespace) else {
        throw scanner.error("There is text outside of the root element.")
      }
    } else {
      open[open.count - 1].text += text
    }
  }

  private mutating func openElement() throws(PersistenceError) {
    let offset = scanner.position
    _ = scanner.skip("<")
    var element = ModelElement(name: try scanner.name(), offset: offset)
    if open.isEmpty, root != nil { throw scanner.error("There is a second root element.", offset) }
    guard open.count < Self.largestDepth else {
      throw scanner.error("Elements are nested more than \(Self.largestDepth) deep.", offset)
    }
    count += 1
    guard count <= Self.largestCount else {
      throw scanner.error("There are more than \(Self.largestCount) elements.", offset)
    }
    while true {
      let hadSpace = scanner.skipSpace()
      if scanner.skip("/>") {
        finish(element)
        return
      }
      if scanner.skip(">") {
        open.append(element)
        return
      }
      guard hadSpace else { throw scanner.error("A tag is not closed.") }
      let (name, value) = try scanner.attribute()
      element.weight += value.utf8.count / 256
      guard element.attributes.updateValue(value, forKey: name) == nil else {
        throw scanner.error("The attribute “\(name)” is given twice.", offset)
      }
    }
  }

  private mutating func close() throws(PersistenceError) {
    let offset = scanner.position
    let name = try scanner.name()
    scanner.skipSpace()
    guard scanner.skip(">") else { throw scanner.error("A tag is not closed.") }
    guard let element = open.popLast(), element.name == name else {
      throw scanner.error("The tag “\(name)” closes an element that is not open.", offset)
    }
    finish(element)
  }

  private mutating func finish(_ element: ModelElement) {
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
      open[open.count - 1].weight += element.weight
    }
  }
}
