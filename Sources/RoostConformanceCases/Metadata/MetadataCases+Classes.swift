// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

/// A class that has the properties of its entity in an order of its own.
private class Plant: ManagedObject {
  override class var _entityDeclaration: EntityDeclaration? {
    EntityDeclaration(
      "Plant", class: Plant.self,
      properties: [
        .property("isGreen", .of(Bool?.self)), .property("height", .of(Double?.self)),
        .property("leaves", .of(Int64?.self)), .property("name", .of(String?.self)),
      ])
  }

  final var isGreen: Bool? {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  final var height: Double? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  final var leaves: Int64? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  final var name: String? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
}

private final class Tree: Plant {
  override class var _entityDeclaration: EntityDeclaration? {
    EntityDeclaration(
      "Tree", class: Tree.self, superclass: Plant.self,
      properties: [
        .property("rings", .of(Int64?.self)), .property("tag", .of(UUID?.self)),
        .property("girth", .of(Double?.self)),
      ])
  }

  var rings: Int64? {
    get { _get(4) }
    set { _set(4, newValue) }
  }
  var tag: UUID? {
    get { _get(5) }
    set { _set(5, newValue) }
  }
  var girth: Double? {
    get { _get(6) }
    set { _set(6, newValue) }
  }
}

// The memory layout of an object follows its class; the stored format must not depend on it.
extension MetadataCases {
  /// The model of a file: its order is not that of the classes.
  private static func garden(hasClasses: Bool) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Plant",
      [
        .string("name"), .integer("leaves"), .of("height", .double), .of("isGreen", .boolean),
      ], class: hasClasses ? Plant.self : nil)
    sketch.add(
      "Tree", [.of("girth", .double), .of("tag", .uuid), .integer("rings")], parent: "Plant",
      class: hasClasses ? Tree.self : nil)
    sketch.add("Bed", [.string("name")])
    sketch.relate(.init("Plant", "bed", .one), .init("Bed", "plants", .ordered))
    return sketch.make()
  }

  private static let tag = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  private static func plantByKey(_ context: ManagedObjectContext) throws {
    let bed = try context.make("Bed", ["name": "south"])
    try context.make(
      "Tree",
      [
        "name": "elm", "leaves": 5, "height": 2.5, "isGreen": true, "girth": 0.5, "tag": tag,
        "rings": 7, "bed": bed,
      ])
    try context.make("Plant", ["name": "fern", "height": 1.5, "bed": bed])
    try context.save()
  }

  private static func plantByClass(_ context: ManagedObjectContext) throws {
    let bed = try context.make("Bed", ["name": "south"])
    let elm = Tree(context: context)
    elm.name = "elm"
    elm.leaves = 5
    elm.height = 2.5
    elm.isGreen = true
    elm.girth = 0.5
    elm.tag = tag
    elm.rings = 7
    try elm.set("bed", bed)
    let fern = Plant(context: context)
    fern.name = "fern"
    fern.height = 1.5
    try fern.set("bed", bed)
    try context.save()
  }

  private static func expectPlants(_ context: ManagedObjectContext) throws {
    let request = try context.request(
      "Plant", "height > 1 AND (leaves == 5 OR isGreen == nil)", [])
    request.sortDescriptors = [SortOrdering("name")]
    let found = try context.fetch(request)
    try expectEqual(try found.map { try $0.text("name") }, ["elm", "fern"], "the plants")
    for (key, elm, fern) in [
      ("leaves", Value.integer(5), Value.null), ("height", .double(2.5), .double(1.5)),
      ("isGreen", .boolean(true), .null),
    ] {
      try expectEqual(try found[0].get(key), elm, "\(key) of the elm")
      try expectEqual(try found[1].get(key), fern, "\(key) of the fern")
    }
    try expectEqual(try found[0].get("girth"), .double(0.5), "the girth")
    try expectEqual(try found[0].get("tag"), .uuid(tag), "the tag")
    try expectEqual(try found[0].get("rings"), .integer(7), "the rings")
  }

  static let classes: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "written-by-class",
      "what classes wrote is read without them: their order is in no store (B248)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(garden(hasClasses: true))
      try plantByClass(stack.context)
      try stack.reopen(model: garden(hasClasses: false))
      try expectPlants(stack.context)
    },
    ConformanceCase(
      .metadata, "read-by-class",
      "what was written without classes is read by them, and changed (B248)", needs: [.reopening]
    ) { stage in
      let stack = try stage.open(garden(hasClasses: false))
      try plantByKey(stack.context)
      try stack.reopen(model: garden(hasClasses: true))
      try expectPlants(stack.context)
      let found = try stack.context.fetch(try stack.context.request("Tree", "rings == 7", []))
      let elm = try require(found.first as? Tree, "the elm")
      try expect(
        elm.isGreen == true && elm.height == 2.5 && elm.leaves == 5 && elm.name == "elm"
          && elm.rings == 7 && elm.tag == tag && elm.girth == 0.5, "the accessors read the values")
      elm.leaves = nil
      elm.girth = 4
      try stack.context.save()
      try stack.reopen(model: garden(hasClasses: false))
      let trees = try stack.context.fetch(
        try stack.context.request("Tree", "girth == 4 AND leaves == nil", []))
      try expectEqual(trees.count, 1, "the changed trees")
    },
  ]
}
