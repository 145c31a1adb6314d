// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExchange
import RoostInMemory
import RoostSQLite
import Testing

/// Tests of export and import through the container.
@Suite struct ContainerTests {
  struct Colour: CodableAttribute, Hashable {
    static var fallback: Colour { Colour(red: 0) }
    var red: Double
  }

  private func model() -> ManagedObjectModel {
    let entity = EntityDescription(name: "Thing")
    let name = AttributeDescription(name: "name", type: .string)
    let colour = AttributeDescription(name: "colour", type: .transformable)
    colour.isOptional = true
    colour.transformableCodec = Colour.codec
    entity.properties = [name, colour]
    entity.uniquenessConstraints = [["name"]]
    return ManagedObjectModel(entities: [entity])
  }

  private func container() throws -> PersistentContainer {
    let container = try PersistentContainer(name: "Things", model: model(), stores: [.inMemory()])
    try container.loadPersistentStores()
    return container
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func fill(_ container: PersistentContainer, _ count: Int) throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for number in 0..<count {
        let thing = try EntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        try thing.setValue("thing \(number)", forKey: "name")
      }
      try context.save()
    }
  }

  private func count(_ container: PersistentContainer) throws -> Int {
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      try context.count(for: FetchRequest<ManagedObject>(entityName: "Thing"))
    }
  }

  @Test("values of the program's own types go out and come back, in both formats (E1)")
  func transformable() throws {
    try withFolder { folder in
      let source = try container()
      let context = source.newBackgroundContext()
      try context.performAndWait {
        for (name, colour) in [("red", Colour(red: 0.1)), ("none", nil)] {
          let thing = try EntityDescription.insertNewObject(forEntityName: "Thing", into: context)
          try thing.setValue(name, forKey: "name")
          try thing.setValue(colour, forKey: "colour")
        }
        try context.save()
      }
      for name in ["Thing.jsonl", "Thing.csv"] {
        let url = folder.appending(path: name)
        try source.export(to: url, as: name.hasSuffix("csv") ? .csv : .jsonLines)
        let copy = try container()
        #expect(try copy.import(from: url).inserted == 2)
        #expect(try copy.import(from: url).unchanged == 2)
        let context = copy.newBackgroundContext()
        try context.performAndWait {
          let request = FetchRequest<ManagedObject>(entityName: "Thing")
          request.sortDescriptors = [SortOrdering("name")]
          let things = try context.fetch(request)
          let attribute = things[1].entity.attributesByName["colour"]
          let value = try things[1].exchangeValue(forKey: "colour")
          #expect(try attribute?.makeAny(from: value) as? Colour == Colour(red: 0.1))
          #expect(try things[0].exchangeValue(forKey: "colour").isNull)
        }
      }
    }
  }

  @Test("progress is told after each batch, and memory is that of the batches (E21, E22)")
  func progress() throws {
    try withFolder { folder in
      let source = try container()
      try fill(source, 95)
      let url = folder.appending(path: "things.jsonl")
      var options = ExportOptions()
      options.batchSize = 10
      var seen: [Int] = []
      try source.export(to: url, options) { progress in
        #expect(progress.phase == .writing && progress.total == 95)
        seen.append(progress.completed)
      }
      #expect(seen == [10, 20, 30, 40, 50, 60, 70, 80, 90, 95])

      let run = try ExportRun(
        to: url, as: .jsonLines, options, in: source.persistentStoreCoordinator)
      while try run.context.performAndWait({ try run.step() }) {
        #expect(run.context.performAndWait { run.context.registeredObjects.count } <= 20)
      }

      let copy = try container()
      var importOptions = ImportOptions()
      importOptions.batchSize = 10
      seen = []
      try copy.import(from: url, importOptions) { progress in
        #expect(progress.phase == .writing && progress.total == 95)
        seen.append(progress.completed)
      }
      #expect(seen == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95])
      let other = try container()
      let importRun = try ImportRun(
        from: [url], importOptions, in: other.persistentStoreCoordinator)
      while try importRun.context.performAndWait({ try importRun.step() }) {
        #expect(importRun.context.performAndWait { importRun.context.registeredObjects.isEmpty })
      }
      #expect(try count(other) == 95)
    }
  }

  private struct Stop: Error {}

  @Test(
    "a receiver that throws ends an export without a file, an import after a batch (E6, E21)"
  )
  func stopping() throws {
    try withFolder { folder in
      let source = try container()
      try fill(source, 30)
      let url = folder.appending(path: "things.jsonl")
      var options = ExportOptions()
      options.batchSize = 10
      #expect(throws: Stop.self) {
        try source.export(to: url, options) { if $0.completed == 20 { throw Stop() } }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      try Data("before".utf8).write(to: url)
      #expect(throws: Stop.self) { try source.export(to: url, options) { _ in throw Stop() } }
      #expect(try String(contentsOf: url, encoding: .utf8) == "before")
      try source.export(to: url, options)

      let copy = try container()
      var importOptions = ImportOptions()
      importOptions.batchSize = 10
      #expect(throws: Stop.self) {
        try copy.import(from: url, importOptions) { if $0.completed == 20 { throw Stop() } }
      }
      #expect(try count(copy) == 20)
      let report = try copy.import(from: url, importOptions)
      #expect(report.resumedAfter == 20)
      #expect(report.inserted == 30)
    }
  }

  @Test("a task that is cancelled ends an export and an import (E21)")
  func cancelling() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = try container()
    try fill(source, 30)
    let url = folder.appending(path: "things.jsonl")
    try await source.export(to: url)
    let copy = try container()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        try await copy.import(from: url)
        return false
      } catch let error as PersistenceError {
        return error.code == .userCancelled
      }
    }
    #expect(try await task.value)
    #expect(try count(copy) == 0)
    let blocking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      func work() throws { try source.export(to: folder.appending(path: "other.jsonl")) }
      do {
        try work()
        return false
      } catch let error as PersistenceError {
        return error.code == .userCancelled
      }
    }
    #expect(try await blocking.value)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["things.jsonl"])
    #expect(try await copy.import(from: url).inserted == 30)
  }

  @Test(
    "marks at the beginning, carriage returns and blank lines are passed over (E2)"
  )
  func otherFiles() throws {
    try withFolder { folder in
      let url = folder.appending(path: "Thing.csv")
      try Data("\u{FEFF}name\r\na\r\n\r\n\"b\r\nc\"\r\n".utf8).write(to: url)
      let container = try container()
      #expect(try container.import(from: url).inserted == 2)
      let lines = folder.appending(path: "Thing.jsonl")
      try Data("\u{FEFF}{\"name\":\"a\"}\r\n\r\n  \n{\"name\":\"d\"}".utf8).write(to: lines)
      let report = try container.import(from: lines)
      #expect(report.inserted == 1 && report.unchanged == 1)
    }
  }

  @Test("columns are mapped, and left out; what a key is may be said (E15)")
  func mapping() throws {
    try withFolder { folder in
      let url = folder.appending(path: "things.csv")
      try Data("Name of it;ModelWarnings\na;x\n".utf8).write(to: url)
      let container = try container()
      var options = ImportOptions(format: .csv(delimiter: ";"), entity: "Thing")
      #expect {
        try container.import(from: url, options)
      } throws: { error in
        let error = error as? PersistenceError
        return error?.code == .unknownKey && error?.remedy.contains("colour, name") == true
      }
      options.columns = ["Name of it": "name", "ModelWarnings": ""]
      options.keys = ["Thing": ["name"]]
      #expect(try container.import(from: url, options).inserted == 1)
      options.keys = ["Thing": ["colour"]]
      #expect(throws: PersistenceError(.invalidRequest, "")) {
        try container.import(from: url, options)
      }
    }
  }

  @Test("places where nothing is, or that say no format, are typed errors (E15)")
  func places() throws {
    try withFolder { folder in
      let container = try container()
      #expect(throws: PersistenceError(.invalidRequest, "")) {
        try container.import(from: folder.appending(path: "nothing.csv"))
      }
      #expect(throws: PersistenceError(.invalidRequest, "")) { try container.import(from: folder) }
      let url = folder.appending(path: "file")
      try Data().write(to: url)
      #expect(throws: PersistenceError(.invalidRequest, "")) { try container.import(from: url) }
      #expect(throws: PersistenceError(.invalidRequest, "")) { try container.export(to: folder) }
      #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
        try container.export(to: folder.appending(path: "none/x.jsonl"))
      }
      #expect(try container.import(from: url, ImportOptions(format: .jsonLines)) == ImportReport())
    }
  }
}
