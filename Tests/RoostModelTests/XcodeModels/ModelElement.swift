// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element of the XML in which Xcode keeps a model.
struct ModelElement {
  let name: String
  let attributes: [String: String]
  var children: [ModelElement] = []

  func children(named name: String) -> [ModelElement] {
    children.filter { $0.name == name }
  }

  func isSet(_ attribute: String) -> Bool {
    attributes[attribute] == "YES"
  }

  /// Parses XML into its root element.
  ///
  /// - Throws: `invalidModel` when the data are no XML.
  static func parse(_ data: Data) throws -> ModelElement {
    let builder = ModelElementBuilder()
    let parser = XMLParser(data: data)
    parser.delegate = builder
    guard parser.parse(), let root = builder.root else {
      throw PersistenceError(
        .invalidModel, "The model's XML cannot be read: line \(parser.lineNumber).",
        underlying: parser.parserError)
    }
    return root
  }
}

private final class ModelElementBuilder: NSObject, XMLParserDelegate {
  var root: ModelElement?
  private var open: [ModelElement] = []

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    open.append(ModelElement(name: elementName, attributes: attributes))
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }
}
