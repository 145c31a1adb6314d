// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostExchange
import RoostModel
import RoostObjects
import RoostQuery

extension ExchangeCases {
  static let oddValues: [ConformanceCase] = [
    exchange(
      "odd-values", "texts that are no value of the type are refused with their line (E15)",
      needs: []
    ) { scene in
      let least = "1e-9223372036854775808"
      let lines = [
        "{\"name\": \"a\", \"decimal\": \(least)}", "{\"name\": \"a\", \"decimal\": \"\(least)\"}",
        #"{"name": "a", "date": "20240102"}"#, #"{"name": "a", "date": 1e400}"#,
        #"{"name": "a", "double": 1e400}"#, #"{"name": "a", "float": 1e39}"#,
      ]
      let stack = try scene.stage.open(SampleModel.make())
      var options = ImportOptions()
      options.entity = "Sample"
      for (number, line) in lines.enumerated() {
        let url = try scene.write("odd\(number).jsonl", "", line)
        let error = try require(
          refusal { try scene.import(url, into: stack, options) }, "\(line) is refused")
        try expect(error.message.contains("line 2: "), "the line is told: \(error)")
      }
      let rows = try scene.write("Sample.csv", "name,date", "a,20240102")
      options.format = .csv
      let error = try require(
        refusal { try scene.import(rows, into: stack, options) }, "a day is no number")
      try expect(error.message.contains("line 2: "), "the line is told: \(error)")
      try expectEqual(try stack.makeContext().all("Sample").count, 0, "what was written")
    },
    exchange("endless-dates", "dates without an end are read back (E1)", needs: []) { scene in
      for (name, format) in [("jsonl", ExchangeFormat.jsonLines), ("csv", .csv)] {
        let source = try scene.stage.open(SampleModel.make())
        for (name, time) in [("later", Double.infinity), ("before", -Double.infinity)] {
          try source.context.make(
            "Sample", ["name": name, "date": Date(timeIntervalSinceReferenceDate: time)])
        }
        try source.context.save()
        let url = scene.url("Sample.\(name)")
        try scene.export(source, to: url, as: format)
        let copy = try scene.stage.open(SampleModel.make())
        try scene.import(url, into: copy, ImportOptions(format: format, entity: "Sample"))
        try copy.readAnew()
        for (name, time) in [("later", Double.infinity), ("before", -Double.infinity)] {
          try expectExact(
            try copy.context.named("Sample", name).get("date"),
            .date(Date(timeIntervalSinceReferenceDate: time)), name)
        }
      }
    },
  ]

  /// Returns the error of a call that must fail.
  private static func refusal(_ body: () throws -> some Any) -> PersistenceError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? PersistenceError
    }
  }

  static let destinations: [ConformanceCase] = [
    exchange("later", "a destination may come later, also one that a record needs (E12)") { scene in
      let url = try scene.write(
        "later.jsonl",
        #"{"@entity": "Step", "name": "a", "owner": {"name": "Late"}}"#,
        #"{"@entity": "Person", "name": "A", "email": "a", "mentor": {"email": "b"}}"#,
        #"{"@entity": "Person", "name": "B", "email": "b", "mentor": {"email": "a"}}"#,
        #"{"@entity": "Note", "@id": "1", "name": "one", "next": "2"}"#,
        #"{"@entity": "Note", "@id": "2", "name": "two", "next": "1"}"#,
        #"{"@entity": "Team", "name": "Late"}"#)
      for size in [1, 2, 10] {
        let stack = try scene.open()
        var options = ImportOptions()
        options.batchSize = size
        try expectEqual(try scene.import(url, into: stack, options).inserted, 6, "new records")
        try stack.readAnew()
        try expectEqual(
          try stack.context.named("Step", "a").one("owner")?.text("name"), "Late", "the owner")
        try expectEqual(
          try stack.context.named("Person", "A").one("mentor")?.text("name"), "B", "the mentor")
        try expectEqual(
          try stack.context.named("Person", "B").one("mentor")?.text("name"), "A", "the mentor")
        try expectEqual(
          try stack.context.named("Note", "two").one("next")?.text("name"), "one", "the next")
        try expectEqual(try scene.import(url, into: stack, options).unchanged, 6, "the second time")
      }
    },
    exchange(
      "nowhere", "a relationship that leads nowhere is an error with its line, or skipped (E13)"
    ) {
      scene in
      let lines = [
        #"{"@entity": "Person", "name": "A", "email": "a", "team": {"name": "None"}}"#,
        #"{"@entity": "Step", "name": "s", "owner": {"name": "None"}}"#,
      ]
      for (number, line) in lines.enumerated() {
        let url = try scene.write("nowhere\(number).jsonl", "", line)
        let stack = try scene.open()
        let error = try expectError(.invalidRequest, "the import") {
          try scene.import(url, into: stack)
        }
        try expect(error.message.contains("line 2: "), "the line is told")
        try expectEqual(error.key, number == 0 ? "team" : "owner", "the key")
      }
      let id = try scene.write(
        "id.jsonl", #"{"@entity": "Note", "name": "n"}"#,
        #"{"@entity": "Note", "name": "n", "next": "other"}"#)
      let stack = try scene.open()
      let error = try expectError(.invalidRequest, "the import") {
        try scene.import(id, into: stack)
      }
      try expect(error.message.hasPrefix("id.jsonl, line 2: "), "the line is told")
      try expectEqual(try stack.makeContext().names("Note"), [], "what was written")

      let url = try scene.write("skip.jsonl", lines[0], lines[1])
      var options = ImportOptions()
      options.missing = .skip
      let report = try scene.import(url, into: stack, options)
      try expectEqual(
        [report.inserted, report.skipped, report.skippedReferences], [1, 1, 1], "the report")
    },
    exchange("key-of-another", "a key of a record of another entity is refused (E9)") { scene in
      let stack = try scene.open()
      try scene.fill(stack)
      let url = try scene.write("Person.jsonl", #"{"email": "amy@example.org", "age": 1}"#)
      try expectError(.managedObjectConstraintMerge, "the import") {
        try scene.import(url, into: stack)
      }
    },
  ]

  static let refusals: [ConformanceCase] = [
    exchange("batch", "a line that a rule refuses leaves its batch unwritten, and is named (E14)") {
      scene in
      let stack = try scene.open()
      let url = try scene.write(
        "Person.jsonl", #"{"name": "a", "email": "a"}"#, #"{"name": "b", "email": "b"}"#,
        #"{"name": "c", "email": "c"}"#, #"{"name": null, "email": "d"}"#)
      var options = ImportOptions()
      options.batchSize = 2
      let error = try expectError(.validationMissingMandatoryProperty, "the import") {
        try scene.import(url, into: stack, options)
      }
      try expect(error.message.hasPrefix("Person.jsonl, line 4: "), "the place is told")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person"), ["a", "b"], "what was written")
      try Data(
        """
        {"name": "a", "email": "a"}
        {"name": "b", "email": "b"}
        {"name": "c", "email": "c"}
        {"name": "d", "email": "d"}
        """.utf8
      ).write(to: url)
      let report = try scene.import(url, into: stack, options)
      try expectEqual(report.resumedAfter, 2, "the line is mended, and it goes on")
      try expectEqual(try stack.makeContext().names("Person").count, 4, "the people")
    },
    exchange(
      "lines", "what cannot be read is an error with its place, and nothing is written (E15)"
    ) {
      scene in
      let stack = try scene.open()
      func refuse(_ code: PersistenceError.Code, _ name: String, _ lines: String...) throws {
        let url = scene.url(name)
        try Data(lines.joined(separator: "\n").utf8).write(to: url)
        let error = try expectError(code, "the import of \(lines)") {
          try scene.import(url, into: stack)
        }
        try expect(
          error.message.hasPrefix("\(name), line \(lines.count): "), "the place of \(error.message)"
        )
      }
      try refuse(.invalidValue, "Person.jsonl", "{}x")
      try refuse(.invalidValue, "Person.jsonl", "[1]")
      try refuse(.invalidValue, "Person.jsonl", #"{"name": "a", "name": "b"}"#)
      try refuse(.invalidValue, "Person.jsonl", #"{"name": 1}"#)
      try refuse(.invalidValue, "Person.jsonl", #"{"name": "a", "age": 3000000000}"#)
      try refuse(.invalidValue, "Person.jsonl", #"{"name": "a", "age": "1"}"#)
      try refuse(.unknownKey, "Person.jsonl", #"{"name": "a", "nonsense": 1}"#)
      try refuse(.unknownEntity, "nobody.jsonl", #"{"name": "a"}"#)
      try refuse(.unknownEntity, "Person.jsonl", #"{"@entity": "Nobody"}"#)
      try refuse(.invalidValue, "Person.jsonl", #"{"name": "a", "team": 1}"#)
      try refuse(.invalidRequest, "Person.jsonl", #"{"name": "a", "team": {"budget": "1"}}"#)
      try refuse(.invalidValue, "Person.csv", "name,email", "a")
      try refuse(.invalidValue, "Person.csv", "name,age", "a,x")
      try refuse(.invalidValue, "Person.csv", "name,age", "\"a,1")
      try refuse(.invalidValue, "Person.csv", "name,name")
      try refuse(.invalidValue, "Note.jsonl", #"{"@id": "1"}"#, #"{"@id": "1"}"#)
      try expectEqual(try stack.makeContext().names("Person"), [], "what was written")
    },
    exchange("trial", "a dry run validates everything and writes nothing (E18)") { scene in
      let source = try scene.open()
      try scene.fill(source)
      let url = scene.url("trial.jsonl")
      try scene.export(source, to: url)
      let stack = try scene.open()
      var options = ImportOptions()
      options.isDryRun = true
      options.batchSize = 1
      try expectEqual(try scene.import(url, into: stack, options).inserted, 10, "what would be new")
      try expectEqual(try scene.versions(stack), [], "the records")
      let bad = try scene.write("Person.jsonl", #"{"name": null, "email": "d"}"#)
      try expectError(.validationMissingMandatoryProperty, "the dry run") {
        try scene.import(bad, into: stack, options)
      }
    },
    exchange("csv-limits", "CSV refuses what it has no place for, unless that is left out (E7)") {
      scene in
      let source = try scene.open()
      try scene.fill(source)
      let folder = scene.url("csv")
      let error = try expectError(.invalidRequest, "the export") {
        try scene.export(source, to: folder, as: .csv)
      }
      try expect(error.message.contains("Team.steps, Team.tags"), "the relationships are named")
      var options = ExportOptions()
      options.leavingOut = ["Team.steps", "Team.tags"]
      let report = try scene.export(source, to: folder, as: .csv, options)
      try expectEqual(report.files.count, 6, "a file for each entity")
      let copy = try scene.open()
      try expectEqual(try scene.import(folder, into: copy).inserted, 10, "new records")
      try copy.readAnew()
      let amy = try copy.context.named("Pilot", "Amy")
      try expectEqual(try amy.one("team")?.text("name"), "Engines", "the team")
      try expectEqual(try amy.one("mentor")?.text("name"), "Ada", "the mentor")
      options.leavingOut = ["Team.nonsense"]
      try expectError(.unknownKey, "the export") {
        try scene.export(source, to: folder, as: .csv, options)
      }
      options = ExportOptions(entities: ["Step", "Nobody"])
      try expectError(.unknownEntity, "the export") {
        try scene.export(source, to: scene.url("x.jsonl"), options)
      }
    },
    exchange("not-exported", "an ID of a record that is not exported is refused (E8)") { scene in
      let source = try scene.open()
      let note = try source.context.make("Note", ["name": "a"])
      try source.context.make("Person", ["name": "Zoë"]).set(
        "mentor", source.context.make("Pilot", ["name": "Amy"]))
      try note.set("next", source.context.make("Note", ["name": "b"]))
      try source.context.save()
      let url = scene.url("part.jsonl")
      try scene.export(source, to: url, ExportOptions(entities: ["Note"]))
      try expect(
        FileManager.default.fileExists(atPath: url.path(percentEncoded: false)), "the file")
      try expectError(.invalidRequest, "the export of pilots") {
        let options = ExportOptions(entities: ["Pilot"])
        try source.context.named("Pilot", "Amy").set(
          "mentor", source.context.named("Person", "Zoë"))
        try source.context.save()
        try scene.export(source, to: scene.url("pilots.jsonl"), options)
      }
      try expect(
        !FileManager.default.fileExists(
          atPath: scene.url("pilots.jsonl").path(percentEncoded: false)),
        "no file is left")
    },
  ]
}
