// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostExchange
import RoostModel
import RoostObjects

// Several lines of one record, some of which wait for destinations.
extension ExchangeCases {
  /// People with a required team, an optional friend and two unique names.
  static func peopleModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Team", [.string("name")], unique: [["name"]])
    sketch.add(
      "Person", [.string("name"), .string("email"), .string("alias"), .integer("age")],
      unique: [["email"], ["alias"]])
    sketch.relate(.init("Person", "team", .one, isOptional: false), .init("Team", "people", .many))
    sketch.relate(.init("Person", "friend", .one), .init("Person", "friends", .many))
    return sketch.make()
  }

  static func people(_ stack: ConformanceStack) throws -> [String] {
    let context = stack.makeContext()
    context.stalenessInterval = 0
    return try context.all("Person").map { person in
      let values = try ["email", "name", "alias", "age"].map { key in
        try person.value(forKey: key).map { "\($0)" } ?? "-"
      }
      let others = try [person.one("team")?.text("name"), person.one("friend")?.text("email")]
      return (values + others.map { $0 ?? "-" }).joined(separator: " ")
    }.sorted()
  }

  /// Imports lines with batches of all sizes, once at once and once interrupted after each step.
  private static func inOrder(
    _ name: String, _ title: String, _ lines: [String], _ wanted: [String]
  ) -> ConformanceCase {
    exchange("lines.\(name)", title) { scene in
      let url = try scene.write("Team.jsonl", lines.joined(separator: "\n"))
      for size in [1, 2, 3, 500] {
        var options = ImportOptions()
        options.batchSize = size
        for steps in 0...(lines.count + 4) {
          let stack = try scene.stage.open(peopleModel())
          if steps > 0 { try scene.importPart(url, into: stack, options, steps: steps) }
          let report = try scene.import(url, into: stack, options)
          let text = "with batches of \(size), interrupted after \(steps) steps"
          try expectEqual(try people(stack), wanted, text)
          try expectEqual(
            report.inserted + report.updated + report.unchanged, lines.count, "the lines \(text)")
          options.isDryRun = true
          try scene.import(url, into: stack, options)
          options.isDryRun = false
        }
      }
    }
  }

  static func person(_ email: String, _ rest: String) -> String {
    #"{"@entity": "Person", "email": "\#(email)", \#(rest)}"#
  }

  static func team(_ name: String) -> String { #""team": {"name": "\#(name)"}"# }
  static func friend(_ email: String) -> String { #""friend": {"email": "\#(email)"}"# }

  static let lines: [ConformanceCase] = [
    inOrder(
      "postponed", "a later line of a record that waits to be inserted waits too (E9, E12)",
      [
        #"{"name": "T1"}"#,
        person("a", #""name": "N1", "age": 1, "# + team("T9")),
        person("a", #""alias": "x", "age": 2, "# + team("T1")),
        person("a", #""age": 3"#),
        #"{"@entity": "Person", "alias": "x", "name": "N2"}"#,
        #"{"name": "T9"}"#,
      ], ["a N2 x 3 T1 -"]),
    inOrder(
      "made-before", "a line of a record that an earlier line has made does not wait (E9, E12)",
      [
        #"{"name": "T1"}"#,
        person("a", #""age": 1, "# + team("T1")),
        person("a", #""age": 2, "# + team("T9")),
        person("a", #""age": 3"#),
        #"{"name": "T9"}"#,
      ], ["a - - 3 T9 -"]),
    inOrder(
      "link-later",
      "a destination that a line waits for is dropped when a later line names it (E9)",
      [
        #"{"name": "T1"}"#,
        person("b", team("T1")),
        person("a", team("T1") + ", " + friend("z")),
        person("a", friend("b")),
        person("c", team("T1") + ", " + friend("z")),
        person("c", #""friend": null"#),
        person("d", team("T1") + ", " + friend("b")),
        person("d", friend("z")),
        person("e", team("T1") + ", " + friend("y")),
        person("e", friend("z")),
        person("z", team("T1")),
        person("y", team("T1")),
      ],
      [
        "a - - - T1 b", "b - - - T1 -", "c - - - T1 -", "d - - - T1 z", "e - - - T1 z",
        "y - - - T1 -", "z - - - T1 -",
      ]),
    inOrder(
      "link-both",
      "a destination that is there is dropped like one that is waited for when a later line names it (E9, E12)",
      [
        #"{"name": "T1"}"#,
        #"{"name": "T2"}"#,
        person("a", team("T1") + ", " + friend("z")),
        person("a", team("T2")),
        person("z", team("T1")),
      ], ["a - - - T2 z", "z - - - T1 -"]),
    exchange("lines.only-new", "a second line of a record that waits is refused as any other (E11)")
    {
      scene in
      let url = try scene.write(
        "Team.jsonl", person("a", team("T9")), person("a", #""age": 1"#), #"{"name": "T9"}"#)
      for size in [1, 2, 500] {
        let stack = try scene.stage.open(peopleModel())
        var options = ImportOptions()
        options.batchSize = size
        options.existing = .refuse
        let error = try expectError(.managedObjectConstraintMerge, "batches of \(size)") {
          try scene.import(url, into: stack, options)
        }
        try expect(error.message.contains("line 2: "), "the place is told: \(error.message)")
      }
    },
    exchange(
      "lines.dry-swap", "a dry run refuses an exchange of unique values as the import does (E18)"
    ) { scene in
      let url = try scene.write(
        "Team.jsonl", person("a", #""alias": "y""#), person("b", #""alias": "x""#))
      for size in [1, 2] {
        for isDryRun in [true, false] {
          let stack = try scene.stage.open(peopleModel())
          let team = try stack.context.make("Team", ["name": "T1"])
          for (email, alias) in [("a", "x"), ("b", "y")] {
            try stack.context.make("Person", ["email": email, "alias": alias, "team": team])
          }
          try stack.context.save()
          var options = ImportOptions()
          options.batchSize = size
          options.isDryRun = isDryRun
          guard size == 1 else {
            try expectEqual(try scene.import(url, into: stack, options).updated, 2, "one batch")
            continue
          }
          let error = try expectError(.managedObjectConstraintMerge, "dry: \(isDryRun)") {
            try scene.import(url, into: stack, options)
          }
          try expect(error.message.contains("line 1: "), "the place is told: \(error.message)")
        }
      }
    },
  ]
}
