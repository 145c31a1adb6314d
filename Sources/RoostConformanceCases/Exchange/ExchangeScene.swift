// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostExchange
import RoostModel
import RoostObjects
import RoostQuery

/// A stage with a folder for files.
final class ExchangeScene {
  let stage: ConformanceStage
  private let folder: URL

  init(_ stage: ConformanceStage) throws {
    self.stage = stage
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-exchange-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func clear() {
    // A temporary folder that cannot be removed is left to the system.
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ name: String) -> URL { folder.appending(path: name) }

  /// Writes a file of lines.
  func write(_ name: String, _ lines: String...) throws -> URL {
    let url = url(name)
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
    return url
  }

  /// Teams with unique names, people with unique emails and an optional team, steps with a required team, tags and
  /// notes.
  static func model() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Team", [.string("name"), .of("budget", .decimal)], unique: [["name"]])
    sketch.add(
      "Person", [.string("name", optional: false), .string("email"), .of("age", .integer32)],
      unique: [["email"]])
    sketch.add("Pilot", [.integer("hours")], parent: "Person")
    sketch.add("Step", [.string("name")])
    sketch.add("Tag", [.string("name")])
    sketch.add("Note", [.string("name")])
    sketch.relate(.init("Person", "team", .one), .init("Team", "members", .many))
    sketch.relate(
      .init("Step", "owner", .one, isOptional: false), .init("Team", "steps", .ordered))
    sketch.relate(.init("Team", "tags", .ordered), .init("Tag", "teams", .many))
    sketch.relate(.init("Note", "next", .one), .init("Note", "previous", .one))
    sketch.relate(.init("Person", "mentor", .one), .init("Person", "pupils", .many))
    return sketch.make()
  }

  func open() throws -> ConformanceStack { try stage.open(Self.model()) }

  func fill(_ stack: ConformanceStack) throws {
    let context = stack.context
    let engines = try context.make("Team", ["name": "Engines", "budget": Decimal(string: "1.10")])
    let steps = try ["a", "b", "c"].map { name in
      try context.make("Step", ["name": name, "owner": engines])
    }
    try engines.set("steps", [steps[2], steps[0], steps[1]])
    let tags = try ["x", "y", "z"].map { try context.make("Tag", ["name": $0]) }
    try engines.set("tags", [tags[2], tags[1], tags[0]])
    let ada = try context.make(
      "Person", ["name": "Ada", "email": "ada@example.org", "age": 36, "team": engines])
    try context.make(
      "Pilot",
      ["name": "Amy", "email": "amy@example.org", "hours": 100, "team": engines, "mentor": ada])
    try context.make("Person", ["name": "Zoë"])
    try context.save()
  }

  @discardableResult
  func export(
    _ stack: ConformanceStack, to url: URL, as format: ExchangeFormat = .jsonLines,
    _ options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    let run = try ExportRun(to: url, as: format, options, in: stack.coordinator)
    while try run.context.performAndWait({ try run.step() }) {}
    return run.outcome
  }

  @discardableResult
  func `import`(
    _ url: URL, into stack: ConformanceStack, _ options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let run = try ImportRun(from: [url], options, in: stack.coordinator)
    while try run.context.performAndWait({ try run.step() }) {}
    return run.report
  }

  /// Imports until something was written a number of times, and stops, as a process that is killed.
  func importPart(
    _ url: URL, into stack: ConformanceStack, _ options: ImportOptions, steps: Int
  ) throws {
    let run = try ImportRun(from: [url], options, in: stack.coordinator)
    for _ in 0..<steps { _ = try run.context.performAndWait { try run.step() } }
  }

  /// All relationships of a company by names.
  func graph(_ stack: ConformanceStack) throws -> [String] {
    var lines: [String] = []
    let context = stack.makeContext()
    context.stalenessInterval = 0
    for entity in stack.model.entities.compactMap(\.name).sorted() {
      for object in try context.all(entity) {
        let name = try object.text("name") ?? "-"
        for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
        {
          let names =
            relationship.isToMany
            ? try object.names(key) : [try object.one(key)?.text("name") ?? "-"]
          lines.append("\(entity) \(name) \(key): \(names.joined(separator: " "))")
        }
      }
    }
    return lines
  }

  /// The versions of all records of a store.
  func versions(_ stack: ConformanceStack) throws -> [Int64] {
    var versions: [Int64] = []
    let context = stack.makeContext()
    for entity in stack.model.entities.compactMap(\.name).sorted() {
      let objects = try context.all(entity).filter { $0.entity.name == entity }
        .sorted { $0.objectID.key < $1.objectID.key }
      versions += try objects.map { try stack.version(of: $0) }
    }
    return versions
  }
}
