// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostExchange
import RoostModel
import RoostObjects
import RoostStore

// Imports that go on after an interruption while lines wait: what was written before stays as it is.
extension ExchangeCases {
  /// Lines that move a unique value from one record to another after a line that waits.
  private static func moving(hasIDs: Bool) -> [String] {
    [
      #"{"name": "T1"}"#,
      person("w", team("T1") + ", " + (hasIDs ? #""friend": "Z""# : friend("z"))),
      person("a", #""alias": "x", "age": 1, "# + team("T1")),
      person("a", #""alias": "y", "age": 2"#),
      person("b", #""alias": "x", "# + team("T1")),
      person("z", (hasIDs ? #""@id": "Z", "# : "") + team("T1")),
    ]
  }

  /// Lines of a record that a later one gives another name.
  private static let renaming = [
    #"{"name": "T1"}"#,
    person("w", team("T1") + ", " + friend("z")),
    person("a", #""alias": "x", "# + team("T1")),
    #"{"@entity": "Person", "alias": "x", "age": 1}"#,
    person("a", #""alias": "y""#),
    person("z", team("T1")),
  ]

  /// Interrupts an import at each step from when a number of lines is written until it is complete, saves something
  /// else, and goes on.
  private static func resumed(
    _ name: String, _ title: String, _ lines: [String], written: Int, _ wanted: [String]
  ) -> ConformanceCase {
    exchange("resumed.\(name)", title) { scene in
      let url = try scene.write("Team.jsonl", lines.joined(separator: "\n"))
      for size in [1, 2, 3] {
        var options = ImportOptions()
        options.batchSize = size
        func steps(_ lines: Int) -> Int { 1 + (lines + size - 1) / size }
        for steps in steps(written)...(steps(lines.count) + 2) {
          let stack = try scene.stage.open(peopleModel())
          try scene.importPart(url, into: stack, options, steps: steps)
          let context = stack.makeContext()
          let person = try require(try context.all("Person", "email == 'a'").first, "the person")
          try person.set("age", 77)
          try person.set("team", try context.make("Team", ["name": "T2"]))
          try context.save()
          try scene.import(url, into: stack, options)
          try expectEqual(
            try people(stack), wanted, "batches of \(size), interrupted after \(steps) steps")
        }
      }
    }
  }

  static let resuming: [ConformanceCase] = [
    resumed(
      "moved-value", "what is written is not written again when an import goes on (E16)",
      moving(hasIDs: false), written: 4,
      ["a - y 77 T2 -", "b - x - T1 -", "w - - - T1 z", "z - - - T1 -"]),
    resumed(
      "moved-value-ids", "nor is it where lines have an ID and a key (E16)",
      moving(hasIDs: true), written: 4,
      ["a - y 77 T2 -", "b - x - T1 -", "w - - - T1 z", "z - - - T1 -"]),
    resumed(
      "renamed", "a line whose record has another name since is not written again (E16)",
      renaming, written: 5, ["a - y 77 T2 -", "w - - - T1 z", "z - - - T1 -"]),
    exchange(
      "resumed.report",
      "a line that waits is written and counted once, wherever it is interrupted (E16)"
    ) { scene in
      let url = try scene.write(
        "Team.jsonl", #"{"name": "T1"}"#, person("a", team("T9")), person("a", #""age": 2"#),
        person("c", team("T1")), #"{"name": "T9"}"#)
      for size in [1, 2, 500] {
        for steps in 6...8 {
          let stack = try scene.stage.open(peopleModel())
          var options = ImportOptions()
          options.batchSize = 1
          try scene.importPart(url, into: stack, options, steps: steps)
          options.batchSize = size
          let report = try scene.import(url, into: stack, options)
          let text = "batches of \(size), interrupted after \(steps) steps"
          try expectEqual([report.inserted, report.updated, report.unchanged], [4, 1, 0], text)
          try expectEqual(try people(stack), ["a - - 2 T9 -", "c - - - T1 -"], text)
        }
      }
    },
    exchange(
      "resumed.damaged",
      "an import whose progress is damaged or does not tell what waits succeeds (E16)"
    ) { scene in
      let lines = [
        #"{"name": "T1"}"#, person("w", team("T1") + ", " + friend("z")), person("a", team("T9")),
        person("a", #""age": 2"#), person("z", team("T1")), #"{"name": "T9"}"#,
      ]
      let url = try scene.write("Team.jsonl", lines.joined(separator: "\n"))
      var options = ImportOptions()
      options.batchSize = 1
      let damages: [Data?] =
        [nil] + [[128], [1], [1, 127], Array(repeating: 255, count: 12)].map { Data($0) }
      for damage in damages {
        let stack = try scene.stage.open(peopleModel())
        let store = stack.coordinator.persistentStores[0]
        try scene.importPart(url, into: stack, options, steps: 6)
        var metadata = try stack.coordinator.metadata(for: store)
        for (key, value) in metadata.userValues {
          guard case .dictionary(var fields) = value else { continue }
          if damage == nil { fields["postponed"] = nil }
          fields["open"] = damage.map { .data($0) }
          metadata.userValues[key] = .dictionary(fields)
        }
        try stack.coordinator.setMetadata(metadata, for: store)
        try stack.context.make("Team", ["name": "T2"])
        try stack.context.save()
        let report = try scene.import(url, into: stack, options)
        try expectEqual(report.resumedAfter > 0, damage == nil, "whether it goes on")
        try expectEqual(
          try people(stack), ["a - - 2 T9 -", "w - - - T1 z", "z - - - T1 -"],
          "\(damage?.count ?? 0) bytes")
      }
    },
    exchange(
      "resumed.skipped", "what is skipped is counted once, wherever it is interrupted (E13, E16)"
    ) { scene in
      let url = try scene.write(
        "Team.jsonl", #"{"name": "T1"}"#, person("a", team("T1") + ", " + friend("y")),
        person("b", team("T8")),
        #"{"name": "T2", "people": [{"email": "c"}, {"email": "zz"}]}"#,
        person("c", team("T1")))
      for steps in 1...16 {
        let stack = try scene.stage.open(peopleModel())
        var options = ImportOptions()
        options.batchSize = 1
        options.missing = .skip
        try scene.importPart(url, into: stack, options, steps: steps)
        let report = try scene.import(url, into: stack, options)
        try expectEqual(
          [report.skipped, report.skippedReferences], [1, 2], "after \(steps) steps")
      }
    },
  ]
}
