// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects

// Typed selections: groups as tuples.
extension FetchingCases {
  /// Three residents in Bern, two in Chur and one without a city; a is the friend of b and c.
  private static func residents(_ stage: ConformanceStage) throws -> ConformanceStack {
    let stack = try stage.open(try ManagedObjectModel(Resident.self))
    var made: [Resident] = []
    for (name, city) in [
      ("a", "Bern"), ("b", "Chur"), ("c", "Bern"), ("d", nil), ("e", "Bern"), ("f", "Chur"),
    ] {
      let resident = Resident(context: stack.context)
      (resident.name, resident.address.city) = (name, city)
      made.append(resident)
    }
    made[1].friend = made[0]
    made[2].friend = made[0]
    try stack.context.save()
    return stack
  }

  static let selections: [ConformanceCase] = [
    ConformanceCase(
      .fetching, "selection.order",
      "groups are sorted by aggregates, in a window, and equal ones by their keys (B134)"
    ) { stage in
      let stack = try residents(stage)
      let groups = stack.context.select(Resident.self) { ($0.address.city, $0.count) }
        .grouped(by: \.address.city)
      let largest = try groups.sorted(by: { $0.count }, ascending: false).limit(2).fetch()
      try expectEqual(largest.map(\.0), ["Bern", "Chur"], "the largest two")
      try expectEqual(largest.map(\.1), [3, 2], "their sizes")
      let last = try groups.sorted(by: { $0.name.max }).offset(1).fetch()
      try expectEqual(last.map(\.0), ["Bern", "Chur"], "by the last name")
      let many = try groups.having { $0.count > 1 }.sorted(by: { $0.count }).fetch()
      try expectEqual(many.map(\.0), ["Chur", "Bern"], "the groups of more than one")
      let names = try stack.context.select(Resident.self) { ($0.name, $0.count) }
        .grouped(by: \.name).sorted(by: { $0.count }).fetch()
      try expectEqual(names.map(\.0), ["a", "b", "c", "d", "e", "f"], "equal groups")
    },
    ConformanceCase(
      .fetching, "selection.relationship", "groups are formed through a relationship (B134)"
    ) { stage in
      let stack = try residents(stage)
      let rows = try stack.context.select(Resident.self) { ($0.friend.name, $0.count) }
        .grouped(by: \.friend?.name).sorted(by: { $0.count }).fetch()
      try expectEqual(rows.map(\.0), ["a", nil], "the friends")
      try expectEqual(rows.map(\.1), [2, 4], "how many have them")
    },
  ]
}
