// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Groups and aggregates that refer to other stores.
extension AcrossStoresCases {
  static let grouped: [ConformanceCase] = pairs(
    "groups", "groups and aggregates follow a relationship into another store (X48)"
  ) { stack, _, server in
    try fill(stack.context, server)
    try stack.readAnew()
    let aggregates = [
      FetchingCases.column("sizes", .sum, "size", .integer64),
      FetchingCases.column("albums", .sum, "album.size", .integer64),
    ]
    let asked = FetchingCases.request("Photo", ["album.name"] + aggregates)
    asked.propertiesToGroupBy = ["album.name"]
    var found: [String: [Int64?]] = [:]
    for row in try stack.context.fetch(asked) {
      let name = row["album.name"] as? String ?? "none"
      try expect(found[name] == nil, "\(name) is one group")
      found[name] = [whole(row["sizes"]), whole(row["albums"])]
    }
    try expectEqual(found, ["Rome": [30, 6], "Oslo": [30, 1], "none": [90, 7]], "the groups")
    asked.predicate = try FetchPredicate("album.size > 1")
    let names = try stack.context.fetch(asked).map { $0["album.name"] as? String }
    try expectEqual(Set(names), ["Rome", nil], "the groups of a condition")
    let all = FetchingCases.request(
      "Photo", aggregates + [FetchingCases.column("largest", .maximum, "album.size", .integer64)])
    let row = try require(try stack.context.fetch(all).first, "the row")
    try expectEqual(
      [whole(row["sizes"]), whole(row["albums"]), whole(row["largest"])], [150, 14, 7],
      "the aggregates of all")
  }
}
