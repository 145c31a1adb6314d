// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostExchange
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension ExchangeCases {
  static let journals: [ConformanceCase] = [
    exchange("journal-alone", "a save between two batches does not write the journal (E16)") {
      scene in
      let stack = try scene.open()
      let store = stack.coordinator.persistentStores[0]
      let url = try scene.write("Note.jsonl", #"{"name": "a"}"#, #"{"name": "b"}"#)
      var options = ImportOptions()
      options.batchSize = 1
      let run = try ImportRun(from: [url], options, in: stack.coordinator)
      for _ in 0..<2 { _ = try run.context.performAndWait { try run.step() } }
      let known = store.metadata.userValues
      try expectEqual(known.count, 1, "the journal of the first batch")
      // A program's own values go with any save, and do not take the journal back.
      var metadata = try stack.coordinator.metadata(for: store)
      metadata.userValues["label"] = .string("x")
      try stack.coordinator.setMetadata(metadata, for: store)
      while try run.context.performAndWait({ try run.step() }) {}
      try stack.context.make("Tag", ["name": "t"])
      try stack.context.save()
      try expectEqual(store.metadata.userValues["label"], .string("x"), "the program's value")
      try expect(
        store.metadata.userValues.filter { $0.key != "label" } != known, "the journal went on")
      try expectEqual(try scene.import(url, into: stack).unchanged, 2, "the second import")
    },
    exchange("journal-refused", "a batch that is refused leaves the journal as it was (E14, E16)") {
      scene in
      let stack = try scene.open()
      let store = stack.coordinator.persistentStores[0]
      let url = try scene.write(
        "Person.jsonl", #"{"name": "a", "email": "a"}"#, #"{"name": null, "email": "b"}"#)
      var options = ImportOptions()
      options.batchSize = 1
      try expectError(.validationMissingMandatoryProperty, "the import") {
        try scene.import(url, into: stack, options)
      }
      let known = store.metadata.userValues
      try stack.context.make("Tag", ["name": "t"])
      try stack.context.save()
      try expectEqual(store.metadata.userValues, known, "the values after another save")
      _ = try scene.write(
        "Person.jsonl", #"{"name": "a", "email": "a"}"#, #"{"name": "b", "email": "b"}"#)
      try expectEqual(try scene.import(url, into: stack, options).resumedAfter, 1, "it goes on")
    },
    exchange(
      "refuse-resumed",
      "where records are to be new, those of an interrupted import are its own (E11)"
    ) { scene in
      let stack = try scene.open()
      let url = try scene.write(
        "Person.jsonl", #"{"@id": "1", "name": "a", "email": "a"}"#,
        #"{"@id": "2", "name": "b", "email": "b", "mentor": "1"}"#)
      var options = ImportOptions()
      options.batchSize = 1
      options.existing = .refuse
      try scene.importPart(url, into: stack, options, steps: 2)
      let report = try scene.import(url, into: stack, options)
      try expectEqual(
        [report.inserted, report.unchanged, report.resumedAfter], [2, 0, 1], "the report")
    },
    exchange("read-otherwise", "a file that is read in another way is another file (E17)") {
      scene in
      let stack = try scene.open()
      let url = try scene.write("Person.csv", "name,email,age", "a,a,1", "b,b,2")
      var options = ImportOptions()
      options.batchSize = 1
      try scene.importPart(url, into: stack, options, steps: 2)
      options.columns = ["age": ""]
      try expectError(.invalidRequest, "the import") {
        try scene.import(url, into: stack, options)
      }
    },
    exchange("chain", "records that need each other in a row are made pass by pass (E12)") {
      scene in
      var sketch = ModelSketch()
      sketch.add("End", [.string("name")])
      sketch.add("C", [.string("name")])
      sketch.add("B", [.string("name")])
      sketch.add("A", [.string("name")])
      sketch.relate(.init("C", "end", .one, isOptional: false), .init("End", "cs", .many))
      sketch.relate(.init("B", "c", .one, isOptional: false), .init("C", "bs", .many))
      sketch.relate(.init("A", "b", .one, isOptional: false), .init("B", "as", .many))
      sketch.relate(.init("C", "first", .one), .init("A", "lasts", .many))
      let stack = try scene.stage.open(sketch.make())
      let url = try scene.write(
        "chain.jsonl", #"{"@entity": "A", "@id": "a", "name": "a", "b": "b"}"#,
        #"{"@entity": "B", "@id": "b", "name": "b", "c": "c"}"#,
        #"{"@entity": "C", "@id": "c", "name": "c", "end": "e", "first": "a"}"#,
        #"{"@entity": "End", "@id": "e", "name": "e"}"#)
      var options = ImportOptions()
      options.batchSize = 1
      try expectEqual(try scene.import(url, into: stack, options).inserted, 4, "new records")
    },
  ]

  static let parts: [ConformanceCase] = [
    exchange(
      "composite-part",
      "elements of a composite that a line does not name stay, nil clears all (E9)"
    ) { scene in
      let city = AttributeDescription(name: "city", type: .string)
      let height = AttributeDescription(name: "height", type: .double)
      for element in [city, height] { element.isOptional = true }
      let place = CompositeAttributeDescription(name: "place", elements: [city, height])
      place.isOptional = true
      var sketch = ModelSketch()
      sketch.add("Spot", [.string("name"), place], unique: [["name"]])
      let stack = try scene.stage.open(sketch.make())
      func importing(_ name: String, _ lines: String...) throws -> ManagedObject {
        let url = scene.url(name)
        try Data(lines.joined(separator: "\n").utf8).write(to: url)
        try scene.import(url, into: stack)
        try stack.readAnew()
        return try stack.context.named("Spot", "s")
      }
      var spot = try importing(
        "Spot.jsonl", #"{"name": "s", "place": {"city": "Bonn", "height": 0.5}}"#)
      spot = try importing("Spot.jsonl", #"{"name": "s", "place": {"city": "Ulm"}}"#)
      try expectExact(try spot.get("place.city"), .string("Ulm"))
      try expectExact(try spot.get("place.height"), .double(0.5))
      spot = try importing("Spot.csv", "name,place.city", "s,")
      try expectExact(try spot.get("place.city"), .null)
      try expectExact(try spot.get("place.height"), .double(0.5))
      spot = try importing("Spot.jsonl", #"{"name": "s", "place": null}"#)
      try expectExact(try spot.get("place.height"), .null)
    },
    exchange(
      "columns", "columns that are no properties are refused before anything is written (E15)"
    ) {
      scene in
      let stack = try scene.open()
      func refuse(
        _ code: PersistenceError.Code, _ name: String, _ lines: String..., line: Int
      ) throws {
        let url = scene.url(name)
        try Data(lines.joined(separator: "\n").utf8).write(to: url)
        var options = ImportOptions()
        options.batchSize = 1
        let error = try expectError(code, "the import of \(lines)") {
          try scene.import(url, into: stack, options)
        }
        try expect(error.message.hasPrefix("\(name), line \(line): "), error.message)
      }
      let deep = Array(repeating: "a", count: 100_000).joined(separator: ".")
      try refuse(.invalidValue, "Person.csv", deep, "x", line: 1)
      try refuse(.invalidValue, "Person.csv", "name,team..name", "x,y", line: 1)
      try refuse(.invalidValue, "Person.csv", "name,.team", "x,y", line: 1)
      try refuse(.invalidValue, "Person.csv", "name,email\rx,y\r", line: 1)
      try refuse(.unknownKey, "Person.csv", "name,nonsense", "x,y", line: 1)
      try expectEqual(try stack.makeContext().names("Person"), [], "what was written")
    },
    exchange(
      "trial-once", "a dry run makes each record once, and finds values that are taken (E18)"
    ) {
      scene in
      let stack = try scene.open()
      var options = ImportOptions()
      options.isDryRun = true
      options.batchSize = 1
      let notes = try scene.write(
        "Note.jsonl", #"{"@id": "1", "name": "a", "next": "2"}"#,
        #"{"@id": "2", "name": "b", "next": "1"}"#)
      try expectEqual(try scene.import(notes, into: stack, options).inserted, 2, "new notes")
      try scene.fill(stack)
      let ada = try scene.write("Person.jsonl", #"{"name": "x", "email": "ada@example.org"}"#)
      try expectEqual(try scene.import(ada, into: stack, options).updated, 1, "changed people")
      var sketch = ModelSketch()
      sketch.add("Pair", [.string("a"), .string("b")], unique: [["a"], ["b"]])
      let pairs = try scene.stage.open(sketch.make())
      let url = try scene.write("Pair.jsonl", #"{"a": "1", "b": "x"}"#, #"{"a": "2", "b": "x"}"#)
      try expectError(.managedObjectConstraintMerge, "the dry run") {
        try scene.import(url, into: pairs, options)
      }
    },
    exchange("key-left-out", "a key that is left out names no record (E3)") { scene in
      let source = try scene.open()
      try scene.fill(source)
      let url = scene.url("key.jsonl")
      var options = ExportOptions()
      options.leavingOut = ["Team.name"]
      try scene.export(source, to: url, as: .jsonLines, options)
      let copy = try scene.open()
      try expectEqual(try scene.import(url, into: copy).inserted, 10, "new records")
      try copy.readAnew()
      try expect(try copy.context.named("Pilot", "Amy").one("team") != nil, "the team")
    },
  ]
}
