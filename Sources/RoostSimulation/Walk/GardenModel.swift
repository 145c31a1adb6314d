// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
package import RoostModel

/// The model of the walks: attributes of many types, a subentity, and a relationship of every kind and delete rule.
package enum GardenModel {
  static let entities = ["Node", "Leaf", "Group", "Tag"]

  package static func make() -> ManagedObjectModel { sketch().make() }

  static func sketch() -> ModelSketch {
    var sketch = ModelSketch()
    let shared = [AttributeDescription.integer("serial"), .string("name"), .integer("number")]
    sketch.add(
      "Node",
      shared + [
        .of("ratio", .double), .of("flag", .boolean), .of("moment", .date), .of("amount", .decimal),
        .of("badge", .uuid), .of("small", .integer16),
      ])
    sketch.add("Leaf", [.string("extra")], parent: "Node")
    sketch.add("Group", copies(shared))
    sketch.add("Tag", copies(shared))
    sketch.relate(.init("Group", "nodes", .many), .init("Node", "group", .one))
    sketch.relate(
      .init("Node", "children", .ordered, rule: .cascade), .init("Node", "parent", .one))
    sketch.relate(.init("Node", "tags", .many), .init("Tag", "nodes", .many, rule: .deny))
    sketch.relate(.init("Group", "favourites", .ordered), .init("Node", "fans", .many))
    sketch.relateToItself(.init("Node", "partner", .one))
    sketch.relate(.init("Tag", "anchor", .one, rule: .noAction), to: "Node")
    return sketch
  }

  private static func copies(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
    attributes.map { .of($0.name, $0.type) }
  }

  /// The attributes that a walk changes.
  static func keys(of entity: String) -> [String] {
    switch entity {
    case "Leaf": nodeKeys + ["extra"]
    case "Node": nodeKeys
    default: ["name", "number"]
    }
  }

  private static let nodeKeys = [
    "name", "number", "ratio", "flag", "moment", "amount", "badge", "small",
  ]

  /// The type of an attribute.
  static func type(of key: String) -> AttributeType {
    switch key {
    case "number": .integer64
    case "small": .integer16
    case "ratio": .double
    case "flag": .boolean
    case "moment": .date
    case "amount": .decimal
    case "badge": .uuid
    default: .string
    }
  }

  /// The values that an attribute takes: half of them are nasty.
  static func values(of key: String) -> [Value] {
    switch key {
    case "number": [.null] + [0, 1, 2, 5, -1, 7, .max, .min].map { .integer($0) }
    case "small": [.null] + [0, 1, 2, 3, -4, 32767, -32768].map { .integer($0) }
    case "ratio": [.null] + [0, 1.5, -2, 0.1, 1e-300, .infinity, -.infinity].map { .double($0) }
    case "flag": [.null, .boolean(true), .boolean(false)]
    case "moment":
      [.null] + [0, 0.5, -1e9, 1e-7].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case "amount":
      [.null]
        + ["0", "1.1", "1.10", "-3", "12345678901234567890123456789012345678"]
        .map { .decimal(ValueOracle.decimal($0)) }
    case "badge":
      [.null]
        + ["00000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000001"]
        .compactMap(UUID.init(uuidString:)).map { .uuid($0) }
    default:
      [.null]
        + ["a", "b", "", "A", "ab", "aba", "\u{E9}", "e\u{301}", "%", "_", "\u{1F600}", "\u{FF5E}"]
        .map { .string($0) }
    }
  }

  /// A value that no save takes, and the attribute for it.
  static let refused: [(key: String, value: Value)] = [
    ("name", .string("a\0")), ("name", .string("\0")),
  ]
}

extension ManagedObjectModel {
  /// Allows every relationship of the model to lead from one store into another.
  package func letRelationshipsCrossStores() {
    for entity in entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        relationship.mayCrossStores = true
      }
    }
  }
}
