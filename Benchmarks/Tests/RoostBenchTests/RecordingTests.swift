// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite
import Testing

@testable import RoostBench
@testable import RoostRecording

@Suite(.serialized) struct RecordingTests {
  /// Runs a body with a temporary folder.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    try body(folder.url)
  }

  private func recordSession(_ folder: URL, _ kind: StoreKind) throws -> URL {
    let file = folder.appending(path: "session.roostrec")
    let work = try WorkFolder(in: folder.path)
    let catalogue = try EngineCatalogue([kind], folder: work, durability: .full)
    let engine = try #require(catalogue.engines.first)
    try RecordCommand(file: file.path, engine: engine, objects: 1_000).run()
    return file
  }

  @Test(
    "a session that was recorded on one store finds the same on every other",
    arguments: [StoreKind.sqlite, .memory])
  func sessions(recorded: StoreKind) throws {
    try withFolder { folder in
      let file = try recordSession(folder, recorded)
      let targets: [PersistentStoreDescription] = [
        .sqlite(at: folder.appending(path: "replayed.sqlite")), .inMemory(),
      ]
      for target in targets {
        let report = try Recording.replay(file, on: target)
        #expect(report.differences == 0)
        #expect(report.conflicts == 0)
        #expect(Set(report.kinds.map(\.name)).isSuperset(of: ["fetch", "rows", "commit"]))
        for kind in report.kinds {
          #expect(kind.microseconds.count == kind.recordedMicroseconds.count)
          #expect(kind.name == "reserve" || kind.rows > 0, "\(kind.name)")
        }
      }
    }
  }

  @Test("what a replay has written is what the program wrote")
  func contents() throws {
    try withFolder { folder in
      let file = folder.appending(path: "a.roostrec")
      let original = PersistentStoreDescription.sqlite(at: folder.appending(path: "a.sqlite"))
      let container = try PersistentContainer(
        name: "a", model: BenchModel.make(), stores: [original.recorded(to: file)])
      try container.loadPersistentStores()
      let context = container.newBackgroundContext()
      let department = Stage.department("One", in: context)
      for index in 0..<10 {
        Stage.person(Sample(index, departments: 1), in: context).department = department
      }
      try context.save()
      let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
      for person in people.prefix(3) { context.delete(person) }
      people.last?.score = 1
      people.last?.department = nil
      try context.save()
      let coordinator = container.persistentStoreCoordinator
      for store in coordinator.persistentStores { try coordinator.remove(store) }

      let copy = PersistentStoreDescription.sqlite(at: folder.appending(path: "b.sqlite"))
      let report = try Recording.replay(file, on: copy)
      #expect(report.differences == 0)
      #expect(try self.persons(in: copy) == self.persons(in: original))
      #expect(try self.persons(in: copy).count == 7)
    }
  }

  private func persons(in description: PersistentStoreDescription) throws -> Set<String> {
    let container = try PersistentContainer(
      name: "read", model: BenchModel.make(), stores: [description])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
    return Set(people.map { "\($0.name) \($0.score) \($0.department?.name ?? "-")" })
  }

  @Test(
    "a recording that was cut off among its calls is played up to there, and the report says so",
    arguments: [100, 40, 1])
  func cutOff(missing: Int) throws {
    try withFolder { folder in
      let file = try recordSession(folder, .memory)
      let data = try Data(contentsOf: file)
      try data.prefix(data.count - missing).write(to: file)
      let report = try Recording.replay(file, on: .inMemory())
      #expect(!report.kinds.isEmpty)
      #expect(report.differences == 0)
      #expect(report.isCutOff)
      let table = ReplayTable(store: .memory, report: report).text
      #expect(table.contains("has no end"))
    }
  }

  @Test(
    "a recording that lost a whole line is cut off too, and one that lost its content is refused")
  func lostLines() throws {
    try withFolder { folder in
      let file = try recordSession(folder, .memory)
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      func write(_ lines: some Sequence<Substring>) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      }
      try write(lines.dropLast())
      #expect(try Recording.replay(file, on: .inMemory()).isCutOff)
      // A missing call in the middle is detected by the last line, which has the number of calls.
      try write(lines.prefix(lines.count - 2) + lines.suffix(1))
      #expect(throws: RecordingError.self) { try Recording.replay(file, on: .inMemory()) }
      for kept in [1, 2] {
        try write(lines.prefix(kept))
        let error = #expect(throws: RecordingError.self) {
          try Recording.replay(file, on: .inMemory())
        }
        #expect(error?.description.contains("cut off") == true)
      }
    }
  }

  @Test("a replay ends where it is cancelled, and its report says so")
  func cancelled() throws {
    try withFolder { folder in
      let file = try recordSession(folder, .memory)
      #expect(try !Recording.replay(file, on: .inMemory()).isCutOff)
      var asked = 0
      let report = try Recording.replay(file, on: .inMemory()) {
        asked += 1
        return asked > 20
      }
      #expect(report.isInterrupted && report.calls > 0)
      #expect(ReplayTable(store: .memory, report: report).text.contains("interrupted"))
    }
  }

  @Test(
    "numbers that no program records are refused with a sentence, whatever would trap on them",
    arguments: [
      ("\"contentLines\":[0-9]+", "\"contentLines\":-1"),
      ("\"limit\":[0-9]+", "\"limit\":-5"), ("\"offset\":0", "\"offset\":-1"),
      ("\"offset\":0", "\"offset\":9223372036854775807"),
      ("\"first\":[0-9]+", "\"first\":-7"),
      ("\"first\":[0-9]+", "\"first\":9223372036854775807"),
      ("\"count\":[0-9]+", "\"count\":-1"), ("\"count\":[0-9]+", "\"count\":0"),
      ("\"count\":[0-9]+", "\"count\":1000000000000"),
      ("\"type\":[0-9]+", "\"type\":7"), ("\"maxCount\":1", "\"maxCount\":-1"),
      ("\"path\":\\{", "\"path\":{\"variable\":3,"),
    ])
  func badNumbers(pattern: String, replacement: String) throws {
    try withFolder { folder in
      let file = try recordSession(folder, .memory)
      let text = try String(contentsOf: file, encoding: .utf8)
      let changed = text.replacing(try Regex(pattern), with: replacement)
      try #require(changed != text, "nothing to change")
      try Data(changed.utf8).write(to: file)
      #expect(throws: RecordingError.self) { try Recording.replay(file, on: .inMemory()) }
    }
  }

  @Test("a recording is its owner's alone, even where a file with other rights was before")
  func rights() throws {
    try withFolder { folder in
      let file = folder.appending(path: "session.roostrec")
      try Data("old".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
      _ = try recordSession(folder, .memory)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test(
    "what cannot be written of a recording is an error when all is done",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() throws {
    let file = try RecordingFile(URL(filePath: "/dev/full"))
    file.write(1, 0) { .rows(keys: [1]) }
    file.close()
    #expect(file.failure?.description.contains("not whole") == true)
  }

  @Test(
    "a file that is no recording is refused with a sentence",
    arguments: ["", "hello\n", "{}\n", "{\"format\":9}\n"])
  func badFiles(text: String) throws {
    try withFolder { folder in
      let file = folder.appending(path: "bad.roostrec")
      try Data(text.utf8).write(to: file)
      #expect(throws: RecordingError.self) { try Recording.replay(file, on: .inMemory()) }
    }
    let missing = URL(filePath: "/nowhere/none.roostrec")
    #expect(throws: RecordingError.self) { try Recording.replay(missing, on: .inMemory()) }
    #expect(throws: RecordingError.self) {
      try PersistentStoreDescription.inMemory().recorded(to: missing)
    }
  }

  @Test("every kind of value is the same after it was recorded")
  func values() throws {
    let store = StoreIdentity(identifier: "A", type: "test")
    let values: [Value] = [
      .null, .integer(.min), .double(.infinity), .double(-1.5e300), .boolean(true),
      .string("é\u{1F600}"), .date(Date(timeIntervalSinceReferenceDate: 1.25)),
      .data(Data([0, 255])), .uuid(UUID()),
      .uri(try #require(URL(string: "https://example.org/a?b"))),
      .decimal(try #require(Decimal(string: "12345678901234567890.123456789"))),
    ]
    for value in values {
      let recorded = try RecordedValue(value, in: store)
      let line = try RecordingFile.line(recorded)
      let read = try RecordingReader.decode(RecordedValue.self, line)
      #expect(try read.value { _ in nil } == value)
    }
  }
}
