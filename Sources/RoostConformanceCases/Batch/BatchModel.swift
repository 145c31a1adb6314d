// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostSimulation

/// A model with attributes of all types and relationships of all forms and rules, filled with odd values.
enum BatchModel {
  static let entities = ["Node", "House", "Room", "Latch", "Tag"]

  static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    let note = AttributeDescription.string("note")
    note.preservesValueInHistoryOnDeletion = true
    let node = sketch.add(
      "Node",
      [
        .string("name"), note, .of("small", .integer16), .of("size", .integer32),
        .of("wide", .integer64), .of("real", .double), .of("ratio", .float),
        .of("isOn", .boolean), .of("money", .decimal), .of("made", .date), .of("code", .uuid),
      ])
    node.indexes = [
      FetchIndexDescription(
        name: "bySize",
        elements: [FetchIndexElementDescription(propertyName: "size", collationType: .binary)])
    ]
    sketch.add("Leaf", [.string("hue")], parent: "Node")
    for entity in ["House", "Room", "Latch"] { sketch.add(entity, [.string("name")]) }
    sketch.add("Tag", [.string("name")], unique: [["name"]])
    sketch.relate(
      .init("Node", "children", .many, rule: .cascade), .init("Node", "parent", .one))
    sketch.relateToItself(.init("Node", "friends", .many))
    sketch.relate(.init("Node", "tags", .ordered), .init("Tag", "nodes", .many))
    sketch.relate(.init("Leaf", "houses", .many, rule: .cascade), .init("House", "leaf", .one))
    sketch.relate(.init("House", "rooms", .ordered), .init("Room", "house", .one))
    sketch.relate(.init("House", "owned", .many, rule: .deny), .init("Room", "owner", .one))
    sketch.relate(
      .init("House", "latch", .one, rule: .cascade), .init("Latch", "house", .one, rule: .nullify))
    sketch.relate(.init("Room", "spare", .one), .init("Latch", "room", .one))
    sketch.relate(.init("Tag", "seen", .one, rule: .noAction), to: "Node")
    return sketch.make()
  }

  /// Adds records; the same for the same seed.
  static func fill(_ context: ManagedObjectContext, seed: UInt64, round: Int) throws {
    var numbers = SplitMix64(seed: seed)
    context.reset()
    func pick<Element>(_ elements: [Element]) -> Element {
      elements[numbers.below(elements.count)]
    }
    var nodes: [ManagedObject] = []
    for index in 0..<24 {
      let node = try context.make(index < 16 ? "Node" : "Leaf", ["name": "n\(round).\(index)"])
      try node.set("note", pick(notes))
      try node.set("small", pick([nil, 0, 7, -32768, 32767] as [Int?]))
      try node.set("size", pick([nil, 0, 1, 5, 9, -3, 2_147_483_647, 715_827_883] as [Int?]))
      try node.set("wide", pick([nil, 0, 3, Int.max, Int.min, 1 << 53 + 1] as [Int?]))
      try node.set("real", pick([nil, 0, 0.1, -2.5, 1e308, .infinity, -.infinity] as [Double?]))
      try node.set("ratio", pick([nil, 0.1, 3] as [Double?]))
      try node.set("isOn", pick([nil, true, false] as [Bool?]))
      try node.set("money", pick([nil, 1, Decimal(string: "0.10"), -7] as [Decimal?]))
      try node.set("made", pick([nil, Date(timeIntervalSinceReferenceDate: 60)] as [Date?]))
      if !nodes.isEmpty {
        if numbers.below(3) > 0 { try node.set("parent", pick(nodes)) }
        if numbers.below(2) > 0 { try node.add(pick(nodes), to: "friends") }
      }
      nodes.append(node)
    }
    // Two that are each other's parents.
    try nodes[0].set("parent", nodes[1])
    try nodes[1].set("parent", nodes[0])
    let houses = try (0..<5).map { try context.make("House", ["name": "h\($0)"]) }
    for (index, house) in houses.enumerated() {
      if index < 4 { try house.set("leaf", nodes[16 + index % 3]) }
      try house.set("latch", try context.make("Latch", ["name": "l\(index)"]))
    }
    for index in 0..<8 {
      let room = try context.make("Room", ["name": "r\(index)"])
      try room.set("house", pick(houses))
      if numbers.below(2) == 0 { try room.set("owner", pick(houses)) }
      if numbers.below(3) == 0 {
        try room.set("spare", try context.make("Latch", ["name": "s\(index)"]))
      }
    }
    for index in 0..<3 {
      let tag = try context.make("Tag", ["name": "t\(round).\(index)"])
      for _ in 0..<4 { try tag.add(pick(nodes), to: "nodes") }
      try tag.set("seen", pick(nodes))
    }
    try context.save()
  }

  static let notes: [String?] = [nil, "", "a", "apple", "Äpfel", "e\u{301}", "\u{e9}", "z"]
}
