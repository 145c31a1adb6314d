// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

/// Uniqueness constraints that name a to-one relationship, as a channel's name is unique in its team.
extension ConstraintCases {
  static let destinations: [ConformanceCase] = [
    destination("insert", "one name twice with one destination is refused (B190, I2)") { stack in
      let team = try stack.context.make("Team", ["name": "T"])
      try stack.context.make("Channel", ["name": "a", "team": team])
      try stack.context.save()
      try stack.context.make("Channel", ["name": "a", "team": team])
      try expectRefused(stack, channels: ["a"])
    },
    destination("other", "one name with two destinations is allowed (B190, I2)") { stack in
      for name in ["T", "U"] {
        let team = try stack.context.make("Team", ["name": name])
        try stack.context.make("Channel", ["name": "a", "team": team])
      }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Channel"), ["a", "a"])
    },
    destination("nil", "a channel without a destination collides with none (B195, I2)") { stack in
      for _ in 0..<2 { try stack.context.make("Channel", ["name": "a"]) }
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Channel"), ["a", "a"])
    },
    destination(
      "same-save", "new objects that point at a new destination collide (B190, I2)"
    ) { stack in
      let team = try stack.context.make("Team", ["name": "T"])
      for _ in 0..<2 { try stack.context.make("Channel", ["name": "a", "team": team]) }
      try expectRefused(stack, channels: [])
    },
    destination("move", "a change of the destination alone is refused (B190, I2)") { stack in
      let (team, channel) = try twoTeams(stack)
      try channel.set("team", team)
      try expectRefused(stack, channels: ["a", "a"])
      stack.context.rollback()
      try expectEqual(try channel.one("team")?.text("name"), "U")
    },
    destination("inverse", "a change at the inverse side is refused, too (B66, I2)") { stack in
      let (team, channel) = try twoTeams(stack)
      try team.add(channel, to: "channels")
      try expectRefused(stack, channels: ["a", "a"])
    },
    destination("swap", "two objects exchange their destinations in one save (B197, I2)") { stack in
      let (team, channel) = try twoTeams(stack)
      let other = try channel.one("team")
      for first in try team.many("channels") { try first.set("team", other) }
      try channel.set("team", team)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Channel", "team.name == 'T'"), ["a"])
    },
    destination("alone", "a destination alone can be unique (B190, I2)") { stack in
      let team = try stack.context.make("Team", ["name": "T"])
      for name in ["p", "q"] { try stack.context.make("Pin", ["name": name, "team": team]) }
      try expectError(.managedObjectConstraintMerge, "the save") { try stack.context.save() }
    },
    destination(
      "store-trump", "a policy that favours the store gives the destination back (B193, I2)"
    ) { stack in
      let (team, channel) = try twoTeams(stack)
      stack.context.mergePolicy = .mergeByPropertyStoreTrump
      try channel.set("team", team)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Channel", "team.name == 'T'"), ["a"])
      try expectEqual(try stack.context.names("Channel", "team.name == 'U'"), ["a"])
    },
    destination(
      "upsert", "a new object takes over the record with its name and destination (B194, I2)"
    ) { stack in
      let (team, _) = try twoTeams(stack)
      stack.context.mergePolicy = .mergeByPropertyObjectTrump
      try stack.context.make("Channel", ["name": "a", "topic": "new", "team": team])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Channel"), ["a", "a"])
      try expectEqual(try stack.context.names("Channel", "topic == 'new'"), ["a"])
    },
    destination(
      "report", "the conflict tells the destination (B191, I2)"
    ) { stack in
      let (team, channel) = try twoTeams(stack)
      try channel.set("team", team)
      let error = try expectError(.managedObjectConstraintMerge, "the save") {
        try stack.context.save()
      }
      let conflict = error.conflicts(in: stack.context).first as? ConstraintConflict
      let value = conflict?.constraintValues["team"] as? ManagedObject
      try expect(value === team, "the destination is the value of the conflict")
    },
  ]

  private static func destination(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.constraints, "destination-\(name)", title, needs: [.uniqueness]) { stage in
      var sketch = ModelSketch()
      sketch.add("Team", [.string("name")])
      sketch.add("Channel", [.string("name"), .string("topic")], unique: [["name", "team"]])
      sketch.add("Pin", [.string("name")], unique: [["team"]])
      sketch.relate(.init("Channel", "team", .one), .init("Team", "channels", .many))
      sketch.relate(.init("Pin", "team", .one), to: "Team")
      try body(try stage.open(sketch.make()))
    }
  }

  /// Two saved teams with a channel “a” each: the first team, and the channel of the second.
  private static func twoTeams(
    _ stack: ConformanceStack
  ) throws -> (team: ManagedObject, channel: ManagedObject) {
    let team = try stack.context.make("Team", ["name": "T"])
    let other = try stack.context.make("Team", ["name": "U"])
    try stack.context.make("Channel", ["name": "a", "team": team])
    let channel = try stack.context.make("Channel", ["name": "a", "team": other])
    try stack.context.save()
    return (team, channel)
  }

  private static func expectRefused(_ stack: ConformanceStack, channels: [String]) throws {
    let error = try expectError(.managedObjectConstraintMerge, "the save") {
      try stack.context.save()
    }
    try expectEqual(error.key, "name", "the error's key")
    try expectEqual(try stack.makeContext().names("Channel"), channels, "what is in the store")
  }
}
