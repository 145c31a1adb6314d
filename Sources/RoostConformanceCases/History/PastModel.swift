// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel

/// The people of `CompanyModel`, and properties with special treatment in a history: ordered relationships of both
/// kinds, one without an inverse, derived attributes, composites and unique values.
enum PastModel {
  static func make() -> ManagedObjectModel {
    var sketch = CompanyModel.sketch()
    sketch.add("Badge", [.string("name"), .integer("level")], unique: [["name"]])
    sketch.add("Team", [.string("name"), .derived("size", .integer64, "players.@count")])
    sketch.add("Player", [.string("name")])
    sketch.relate(.init("Team", "players", .many), .init("Player", "team", .one))
    let address = CompositeAttributeDescription(
      name: "address",
      elements: [AttributeDescription.string("street"), AttributeDescription.integer("number")])
    sketch.add("Shop", [.string("name"), address])
    // One ordered relationship keeps positions in the rows of its destinations, the other one in its links.
    sketch.add("List", [.string("name")])
    sketch.add("Entry", [.string("name")])
    sketch.relate(.init("List", "entries", .ordered, rule: .cascade), .init("Entry", "list", .one))
    sketch.relate(.init("List", "favourites", .ordered), .init("Entry", "fans", .ordered))
    // These have no inverse.
    sketch.relate(.init("Shop", "sold", .many), to: "Entry")
    return sketch.make()
  }
}
