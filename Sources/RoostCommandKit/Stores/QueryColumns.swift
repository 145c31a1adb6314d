// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The columns of a query: key paths, or expressions in the format language.
struct QueryColumns {
  let names: [String]
  private let properties: [any FetchableProperty]

  /// The columns that a list names, separated by commas outside of parentheses.
  ///
  /// - Throws: `invalidPredicate` for an expression that cannot be read.
  init(_ list: String) throws {
    var names: [String] = []
    var name = ""
    var depth = 0
    for character in list {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if character == ",", depth == 0 {
        names.append(name.trimmed)
        name = ""
      } else {
        name.append(character)
      }
    }
    names.append(name.trimmed)
    self.names = names.filter { !$0.isEmpty }
    properties = try self.names.map(Self.property)
  }

  /// The ID, the attributes and the to-one relationships of an entity.
  init(all entity: EntityDescription) {
    var names = ["objectID"]
    for content in entity.layout.contents where content.isStored {
      switch content {
      case .attribute(_, let name): names.append(name)
      case .reference(let relationship): names.append(relationship.name)
      case .position: continue
      }
    }
    self.names = names
    properties = [Self.id] + names.dropFirst().map { $0 as any FetchableProperty }
  }

  /// All columns except binary data, which a table cannot show, and a store reads whole.
  init(usual entity: EntityDescription) {
    let all = QueryColumns(all: entity)
    let shown = zip(all.names, all.properties).filter { name, _ in
      guard let type = entity.attributesByName[name]?.type else { return true }
      return type != .binaryData && type != .transformable
    }
    names = shown.map(\.0)
    properties = shown.map(\.1)
  }

  /// One property of the entity.
  init(key: String) {
    names = [key]
    properties = [key]
  }

  /// Returns the properties of a fetch request: the columns, after the ID if it is wanted.
  func properties(withID: Bool) -> [any FetchableProperty] {
    withID ? [Self.id] + properties : properties
  }

  private static var id: ExpressionDescription {
    let column = ExpressionDescription()
    column.name = "objectID"
    column.expression = FetchExpression.evaluatedObject
    column.resultType = .objectID
    return column
  }

  private static func property(_ text: String) throws -> any FetchableProperty {
    if text == "objectID" { return id }
    guard text.contains(where: { "@($+*/ ".contains($0) }) else { return text }
    let column = ExpressionDescription()
    column.name = text
    column.expression = try FetchExpression(format: text, argumentArray: [])
    return column
  }
}
