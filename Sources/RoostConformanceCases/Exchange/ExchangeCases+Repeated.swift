// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostExchange
import RoostModel
import RoostObjects
import RoostQuery
import Synchronization

extension ExchangeCases {
  static let repetitions: [ConformanceCase] = [
    exchange(
      "again", "a file that is imported again changes nothing, also records without a key (E10)"
    ) {
      scene in
      let source = try scene.open()
      try scene.fill(source)
      let url = scene.url("again.jsonl")
      try scene.export(source, to: url)
      let copy = try scene.open()
      var options = ImportOptions()
      options.batchSize = 2
      let first = try scene.import(url, into: copy, options)
      try expectEqual(first.inserted, 10, "new records")
      let before = try scene.versions(copy)
      try copy.readAnew()
      let second = try scene.import(url, into: copy, options)
      try expectEqual(second.unchanged, 10, "records that are as they were")
      try expect(!second.hasChanges, "nothing was written")
      try copy.readAnew()
      try expectEqual(try scene.versions(copy), before, "the versions of the records")
    },
    exchange(
      "update", "a line changes what it names of the record with its key, and nothing else (E9)"
    ) {
      scene in
      let stack = try scene.open()
      try scene.fill(stack)
      let url = try scene.write(
        "Person.jsonl", #"{"email": "ada@example.org", "age": 37, "team": null}"#,
        #"{"email": "new@example.org", "name": "New", "team": {"name": "Engines"}}"#)
      let report = try scene.import(url, into: stack)
      try expectEqual(
        [report.inserted, report.updated, report.unchanged], [1, 1, 0], "the report")
      try stack.readAnew()
      let ada = try stack.context.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 37, "the age")
      try expect(try ada.one("team") == nil, "the team was taken away")
      try expectEqual(
        try stack.context.named("Person", "New").one("team")?.text("name"), "Engines", "the team")
      try expectEqual(try scene.import(url, into: stack).unchanged, 2, "the second import")
    },
    exchange("removed", "what was removed since is made again, once (E10)") { scene in
      let stack = try scene.open()
      let url = try scene.write("Note.jsonl", #"{"name": "a"}"#, #"{"name": "b"}"#)
      try scene.import(url, into: stack)
      let a = try stack.context.named("Note", "a")
      stack.context.delete(a)
      try stack.context.save()
      for wanted in [[1, 0, 1], [0, 0, 2]] {
        let report = try scene.import(url, into: stack)
        try expectEqual(
          [report.inserted, report.updated, report.unchanged], wanted, "the report")
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Note"), ["a", "b"], "the notes")
    },
    exchange("refuse", "where records are to be new, one that is there ends the import (E11)") {
      scene in
      let stack = try scene.open()
      try scene.fill(stack)
      let url = try scene.write(
        "Person.csv", "name,email", "New,new@example.org", "Ada,ada@example.org")
      var options = ImportOptions()
      options.existing = .refuse
      let error = try expectError(.managedObjectConstraintMerge, "the import") {
        try scene.import(url, into: stack, options)
      }
      try expect(error.message.hasPrefix("Person.csv, line 3: "), "the place is told")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person", "name == 'New'"), [], "what was written")
    },
  ]

  static let interruptions: [ConformanceCase] = [
    exchange(
      "resume",
      "an import that was interrupted goes on where it stopped, and does nothing twice (E16)"
    ) { scene in
      let source = try scene.open()
      try scene.fill(source)
      for number in 0..<20 { try source.context.make("Note", ["name": "note \(number)"]) }
      try source.context.save()
      let url = scene.url("resume.jsonl")
      try scene.export(source, to: url)
      var options = ImportOptions()
      options.batchSize = 3
      for steps in 1...14 {
        let copy = try scene.open()
        try scene.importPart(url, into: copy, options, steps: steps)
        try copy.readAnew()
        let there = try scene.versions(copy).count
        let report = try scene.import(url, into: copy, options)
        try expect(
          there == 0 || there == 30 || report.resumedAfter > 0, "it went on after \(steps) steps")
        try expectEqual(report.inserted + report.unchanged, 30, "the records that are counted")
        try copy.readAnew()
        try expectEqual(try scene.versions(copy).count, 30, "the records after \(steps) steps")
        try expectEqual(
          try copy.context.named("Team", "Engines").names("steps"), ["c", "a", "b"], "the order")
        try expectEqual(try scene.graph(copy), try scene.graph(source), "the graph")
      }
    },
    exchange("changed-file", "a file that was changed since an interruption is noticed (E17)") {
      scene in
      let stack = try scene.open()
      let lines = (1...6).map { #"{"name": "n\#($0)", "email": "\#($0)@example.org"}"# }
      let url = scene.url("Person.jsonl")
      try Data(lines.joined(separator: "\n").utf8).write(to: url)
      var options = ImportOptions()
      options.batchSize = 2
      try scene.importPart(url, into: stack, options, steps: 2)
      let text = try String(contentsOf: url, encoding: .utf8)
      try Data(text.replacing("n1", with: "N1").utf8).write(to: url)
      try expectError(.invalidRequest, "the import of the changed file") {
        try scene.import(url, into: stack, options)
      }
      options.startsAnew = true
      let report = try scene.import(url, into: stack, options)
      try expectEqual(
        [report.inserted, report.updated, report.unchanged], [4, 1, 1], "the report")
      // The rest of the file may change: it was not read yet.
      let other = try scene.open()
      options.startsAnew = false
      try scene.importPart(url, into: other, options, steps: 2)
      try Data(text.replacing("n1", with: "N1").replacing("n6", with: "N6").utf8).write(to: url)
      try expectEqual(try scene.import(url, into: other, options).inserted, 6, "the other import")
    },
  ]

  static let seeds: [ConformanceCase] = [
    exchange("seeds", "seeds are applied once for each version (E19)") { scene in
      let stack = try scene.open()
      let url = try scene.write("Team.jsonl", #"{"name": "Engines"}"#, #"{"name": "Compilers"}"#)
      func seed(_ version: Int) throws -> ImportReport? {
        try SeedRun(seeds: Seeds(folder: url, version: version), coordinator: stack.coordinator)
          .run()
      }
      try expectEqual(try seed(1)?.inserted, 2, "the first time")
      try expect(try seed(1) == nil, "the second time nothing is done")
      try stack.readAnew()
      try expect(try seed(1) == nil, "nor after the store was opened anew")
      try Data("name\nEngines\nWheels\n".utf8).write(to: scene.url("Team.csv"))
      let next = Seeds(folder: scene.url("Team.csv"), version: 2)
      let report = try SeedRun(seeds: next, coordinator: stack.coordinator).run()
      try expectEqual([report?.inserted, report?.unchanged], [1, 1], "the next version")

      let runs = Mutex(0)
      let code = Seeds(name: "code", version: 1) { context in
        runs.withLock { $0 += 1 }
        try context.make("Team", ["name": "Code"])
      }
      for _ in 0..<2 { _ = try SeedRun(seeds: code, coordinator: stack.coordinator).run() }
      try expectEqual(runs.withLock { $0 }, 1, "how often the code ran")
      try stack.readAnew()
      try expectEqual(
        try stack.context.names("Team"), ["Code", "Compilers", "Engines", "Wheels"], "the teams")
    },
    exchange("seeds-without-key", "a seed that cannot be recognised is refused (E19)") { scene in
      let stack = try scene.open()
      let url = try scene.write("Note.jsonl", #"{"name": "a"}"#)
      try expectError(.invalidRequest, "the seeds") {
        _ = try SeedRun(seeds: Seeds(folder: url), coordinator: stack.coordinator).run()
      }
      try expectEqual(try stack.makeContext().names("Note"), [], "the notes")
    },
  ]
}
