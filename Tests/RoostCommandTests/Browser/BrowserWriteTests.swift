// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// Tests of changes by the page of `roost browse --write`.
@Suite struct BrowserWriteTests {
  private func bench(
    _ kind: SampleKind = .sqlite, isWritable: Bool = true
  ) throws -> BrowserBench {
    let sample = try Sample()
    return try BrowserBench(sample, sample.makeStore(kind), isWritable: isWritable)
  }

  private func attribute(_ record: [String: Any], _ name: String) -> String? {
    let attributes = record["attributes"] as? [[String: Any]] ?? []
    let value = attributes.first { $0["name"] as? String == name }?["value"]
    return (value as? [String: Any])?["text"] as? String
  }

  @Test("records are added, changed, related and deleted", arguments: SampleKind.here)
  func changes(kind: SampleKind) throws {
    let bench = try bench(kind)
    #expect(try bench.ask("api/store")["canWrite"] as? Bool == true)
    let engines = try bench.id("Team", "Engines")
    let added = try bench.save([
      "operation": "insert", "entity": "Person",
      "values": [
        "name": "Grace", "age": "85", "email": "", "photo": "00 ff",
        "joined": "2001-01-31T12:00:00.250Z", "team": engines,
      ],
    ])
    let id = try #require(added["id"] as? String)
    #expect(added["version"] as? Int == 1)
    #expect(attribute(added, "joined") == "2001-01-31T12:00:00.250Z")
    #expect(attribute(added, "photo") == "00ff")
    #expect(attribute(added, "email") == "")
    // The inverse relationship has the change too, as after every save of the object graph.
    let members = try bench.ask(
      "api/count", ["entity": "Person", "of": engines, "via": "members"])
    #expect(members["count"] as? Int == 3)

    let changed = try bench.save([
      "operation": "update", "id": id, "version": 1,
      "values": ["age": NSNull(), "name": "Grace H.", "team": NSNull()],
    ])
    #expect(changed["version"] as? Int == 2)
    #expect(attribute(changed, "age") == nil)
    #expect(attribute(changed, "name") == "Grace H.")
    #expect(attribute(changed, "photo") == "00ff")

    let gone = try bench.save(["operation": "delete", "id": id, "version": 2])
    #expect(gone.isEmpty)
    _ = try bench.ask("api/record", ["id": id], status: 404)
  }

  @Test("the delete rules of the model hold")
  func deleteRules() throws {
    let bench = try bench()
    let engines = try bench.id("Team", "Engines")
    _ = try bench.save(["operation": "delete", "id": engines, "version": 1])
    // Its members are deleted with it (cascade); others remain.
    let names = BrowserBench.texts(
      try bench.ask("api/rows", ["entity": "Person", "columns": "name", "sort": "name"]))
    #expect(names == [["Margaret"], ["Zoë"]])
  }

  @Test("nothing is written to a store that is open for reading only", arguments: SampleKind.here)
  func readOnly(kind: SampleKind) throws {
    let bench = try bench(kind, isWritable: false)
    let id = try bench.id("Person", "Ada")
    for change: [String: Any] in [
      ["operation": "insert", "entity": "Team", "values": ["name": "Third"]],
      ["operation": "update", "id": id, "version": 1, "values": ["name": "X"]],
      ["operation": "delete", "id": id, "version": 1],
    ] {
      let answer = try bench.save(change, status: 403)
      #expect((answer["error"] as? String)?.contains("--write") == true)
    }
    #expect(try bench.id("Person", "Ada") == id)
    #expect(try bench.ask("api/counts")["Team"] as? Int == 2)
  }

  @Test("other paths are not written, and what reads is not asked by POST")
  func paths() throws {
    let bench = try bench()
    for (path, status) in [("api/count", 405), ("", 405), ("api/nothing", 404)] {
      var request = bench.request(path)
      request.method = "POST"
      request.origin = "http://\(BrowserBench.host)"
      request.contentType = "application/json"
      request.body = Data("{}".utf8)
      #expect(bench.browser.answer(request).status == status)
    }
  }

  @Test("values that are not valid are told with their properties, all at once")
  func validation() throws {
    let bench = try bench()
    let answer = try bench.save(
      [
        "operation": "insert", "entity": "Person",
        "values": ["age": "many", "joined": "yesterday", "photo": "xyz", "name": "Grace"],
      ], status: 422)
    let problems = try #require(answer["problems"] as? [[String: Any]])
    #expect(problems.map { $0["key"] as? String } == ["age", "joined", "photo"])
    // A validation error of the object graph: a required value is missing.
    let missing = try bench.save(
      ["operation": "insert", "entity": "Person", "values": ["age": "3"]], status: 422)
    #expect(
      (missing["problems"] as? [[String: Any]])?.map { $0["key"] as? String } == ["name"])
    #expect(try bench.ask("api/counts")["Person"] as? Int == 4)
  }

  @Test("a value that has to be unique is a conflict when another record has it")
  func uniqueness() throws {
    let bench = try bench()
    let answer = try bench.save(
      [
        "operation": "insert", "entity": "Person",
        "values": ["name": "Other", "email": "ada@example.org"],
      ], status: 409)
    #expect((answer["error"] as? String)?.isEmpty == false)
    #expect(try bench.ask("api/counts")["Person"] as? Int == 4)
  }

  @Test("what others changed since the page was made is a conflict", arguments: SampleKind.here)
  func conflict(kind: SampleKind) throws {
    let bench = try bench(kind)
    let id = try bench.id("Person", "Ada")
    _ = try bench.save([
      "operation": "update", "id": id, "version": 1, "values": ["age": "37"],
    ])
    let answer = try bench.save(
      ["operation": "update", "id": id, "version": 1, "values": ["age": "99"]], status: 409)
    #expect((answer["error"] as? String)?.contains("another writer") == true)
    _ = try bench.save(["operation": "delete", "id": id, "version": 1], status: 409)
    #expect(attribute(try bench.ask("api/record", ["id": id]), "age") == "37")
  }

  @Test(
    "another process's write is seen by the one that saves",
    arguments: SampleKind.here.filter { $0 != .binary })
  func otherProcess(kind: SampleKind) throws {
    let bench = try bench(kind)
    let id = try bench.id("Person", "Ada")
    // The browser has read the record, and its row is cached.
    _ = try bench.ask("api/record", ["id": id])
    let description = try bench.browser.sessions.use { $0.store.description }
    let container = try PersistentContainer(
      name: "HR", model: bench.sample.model(), stores: [description])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("name == 'Ada'")
      try context.fetch(request)[0].setValue(40, forKey: "age")
      try context.save()
    }
    try container.close()
    _ = try bench.save(
      ["operation": "update", "id": id, "version": 1, "values": ["age": "99"]], status: 409)
    _ = try bench.save(["operation": "update", "id": id, "version": 2, "values": ["age": "41"]])
    #expect(attribute(try bench.ask("api/record", ["id": id]), "age") == "41")
  }

  @Test(
    "changes that make no sense are refused",
    arguments: [
      (["operation": "destroy"], 400, "no change"),
      (["operation": "insert"], 400, "“entity” is missing."),
      (["operation": "insert", "entity": "Persn"], 404, "Is Person meant?"),
      (["operation": "update", "id": "Person/p1"], 400, "“version”"),
      (["operation": "update", "id": "Person/p4000", "version": "x"], 400, "no change"),
      (["operation": "delete", "id": "x"], 400, "“version”"),
    ] as [([String: String], Int, String)])
  func nonsense(change: [String: String], status: Int, message: String) throws {
    let answer = try bench().save(change, status: status)
    #expect((answer["error"] as? String)?.contains(message) == true, "\(answer)")
  }

  @Test("properties that there are not, to-many relationships and wrong destinations are refused")
  func properties() throws {
    let bench = try bench()
    let id = try bench.id("Person", "Ada")
    for (values, message) in [
      (["nmae": "x"], "no property “nmae”"), (["skills": "Skill/p1"], "leads to many"),
      (["team": "Team/p4000"], "there is no Team/p4000"), (["team": id], "team"),
    ] {
      let store = try bench.browser.sessions.use { $0.store.metadata.identifier }
      let change: [String: Any] = [
        "store": store, "operation": "update", "id": id, "version": 1, "values": values,
      ]
      var request = bench.request("api/save")
      request.method = "POST"
      request.origin = "http://\(BrowserBench.host)"
      request.contentType = "application/json"
      request.body = try JSONSerialization.data(withJSONObject: change)
      let answer = bench.browser.answer(request)
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect((400..<500).contains(answer.status), "\(text)")
      #expect(text.contains(message), "\(text)")
    }
    #expect(try bench.ask("api/record", ["id": id])["version"] as? Int == 1)
  }

  @Test("that the model of a store has no validation rules is told")
  func note() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let sessions = try BrowserSessions(StoreAddress(address), modelPath: nil, isWritable: true)
    defer { sessions.close() }
    let note = try sessions.use { BrowserModel($0, canWrite: true).node.line }
    #expect(note.contains("no validation rules"))
    let bench = try BrowserBench(sample, address, isWritable: true)
    #expect(try bench.ask("api/store")["note"] == nil)
  }
}
