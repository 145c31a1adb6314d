// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostExchange
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// Records as files, and files as records.
enum ExchangeCases {
  static let all: [ConformanceCase] =
    values + graphs + repetitions + destinations + refusals + interruptions + resuming + seeds
    + journals + parts + oddValues + lines + structs

  static func exchange(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [.uniqueness],
    _ body: @escaping @Sendable (ExchangeScene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.exchange, name, title, needs: needs) { stage in
      let scene = try ExchangeScene(stage)
      defer { scene.clear() }
      try body(scene)
    }
  }

  private static let values: [ConformanceCase] = [
    ("lines", ExchangeFormat.jsonLines), ("csv", .csv), ("semicolons", .csv(delimiter: ";")),
  ].map { name, format in
    exchange(
      "values-\(name)", "values of every type are read back bit by bit from \(name) (E1, E2)",
      needs: []
    ) { scene in
      let source = try scene.stage.open(SampleModel.make())
      var wanted: [String: (key: String, value: Value)] = [:]
      for row in ValueTable.rows {
        guard case .kept = row.fate else { continue }
        let key = row.type.description
        try source.context.make("Sample", ["name": "\(key).\(row.name)", key: row.native])
        wanted["\(key).\(row.name)"] = (key, row.value)
      }
      let texts = ["", "a,b;c", "two \"words\"", "line\r\nline\n", "Zoë 🦆", "\u{1}\t", " x "]
      for text in texts {
        try source.context.make("Sample", ["name": "text \(text)", "string": text])
        wanted["text \(text)"] = ("string", .string(text))
      }
      try source.context.make(
        "Sample",
        ["name": "place", "place": ["city": "Århus", "height": 0.1] as [String: Any]])
      try source.context.save()
      let url = scene.url("Sample.\(format == .jsonLines ? "jsonl" : "csv")")
      let report = try scene.export(source, to: url, as: format)
      try expectEqual(report.counts["Sample"], wanted.count + 1, "the number of records")

      let copy = try scene.stage.open(SampleModel.make())
      var options = ImportOptions(format: format)
      options.batchSize = 40
      let read = try scene.import(url, into: copy, options)
      try expectEqual(read.inserted, wanted.count + 1, "the number of new records")
      try copy.readAnew()
      for object in try copy.context.all("Sample") {
        let name = try require(try object.text("name"), "the name")
        for type in SampleModel.types {
          let key = type.description
          let value = wanted[name]?.key == key ? wanted[name]?.value : Value.null
          try expectExact(try object.get(key), value ?? .null, "\(key) of \(name.debugDescription)")
        }
      }
      let place = try copy.context.named("Sample", "place")
      try expectExact(try place.get("place.city"), .string("Århus"))
      try expectExact(try place.get("place.height"), .double(0.1))
    }
  }

  private static let graphs: [ConformanceCase] = [
    exchange(
      "graph",
      "relationships of every cardinality are read back, by IDs where there are no keys (E3)",
      needs: []
    ) { scene in
      let source = try scene.stage.open(CompanyModel.make())
      try CompanyModel.fill(source.context)
      let ada = try source.context.named("Person", "Ada")
      let eve = try source.context.named("Person", "Eve")
      try ada.set("friends", Set([eve, try source.context.named("Person", "Bob")]))
      try ada.set("partner", eve)
      try ada.set("desk", try source.context.make("Desk", ["name": "Oak"]))
      try source.context.save()
      let url = scene.url("company.jsonl")
      try scene.export(source, to: url)
      for size in [1, 3, 500] {
        let copy = try scene.stage.open(CompanyModel.make())
        var options = ImportOptions()
        options.batchSize = size
        try expectEqual(try scene.import(url, into: copy, options).inserted, 12, "new records")
        try copy.readAnew()
        try expectEqual(
          try scene.graph(copy), try scene.graph(source), "the graph from batches of \(size)")
      }
    },
    exchange("order", "ordered destinations keep their order (E4)") { scene in
      let source = try scene.open()
      try scene.fill(source)
      let url = scene.url("order.jsonl")
      try scene.export(source, to: url)
      for size in [1, 2, 500] {
        let copy = try scene.open()
        var options = ImportOptions()
        options.batchSize = size
        try scene.import(url, into: copy, options)
        try copy.readAnew()
        let team = try copy.context.named("Team", "Engines")
        try expectEqual(
          try team.names("steps"), ["c", "a", "b"], "one to many, batches of \(size)")
        try expectEqual(try team.names("tags"), ["z", "y", "x"], "many to many")
      }
    },
    exchange(
      "keys", "destinations are named by unique keys, and subentities by their entity (E3, E5)"
    ) {
      scene in
      let source = try scene.open()
      try scene.fill(source)
      let url = scene.url("keys.jsonl")
      try scene.export(source, to: url)
      let text = try String(contentsOf: url, encoding: .utf8)
      try expect(text.contains(#""team":{"name":"Engines"}"#), "the team is named by its name")
      try expect(text.contains(#""@entity":"Pilot""#), "a subentity is named")
      let copy = try scene.open()
      try scene.import(url, into: copy)
      try copy.readAnew()
      let amy = try copy.context.named("Pilot", "Amy")
      try expectEqual(try amy.one("team")?.text("name"), "Engines", "the team")
      try expectEqual(try amy.number("hours"), 100, "what the subentity adds")
    },
    exchange("moment", "an export shows one moment, whatever is saved meanwhile (E6)") { scene in
      let source = try scene.open()
      try scene.fill(source)
      let isPinned = source.coordinator.persistentStores.allSatisfy { $0.snapshots != nil }
      let url = scene.url("moment.jsonl")
      var options = ExportOptions()
      options.batchSize = 1
      let run = try ExportRun(to: url, as: .jsonLines, options, in: source.coordinator)
      _ = try run.context.performAndWait { try run.step() }
      let other = source.makeContext()
      for object in try other.all("Person") { try object.set("name", "changed") }
      try other.make("Team", ["name": "Late"])
      try other.save()
      while try run.context.performAndWait({ try run.step() }) {}
      let text = try String(contentsOf: url, encoding: .utf8)
      try expectEqual(text.contains("changed"), !isPinned, "whether the new values are there")
      try expect(!isPinned || !text.contains("Late"), "a later record is not there")
    },
  ]
}
