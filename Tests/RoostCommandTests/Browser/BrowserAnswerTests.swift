// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// Tests of the responses of `roost browse` to read requests.
@Suite struct BrowserAnswerTests {
  @Test(
    "entities, counts, rows, a record and a plan are those of the store", arguments: SampleKind.here
  )
  func kinds(kind: SampleKind) throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore(kind))
    let store = try bench.ask("api/store")
    #expect(store["canWrite"] as? Bool == false)
    let entities = try #require(store["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Manager", "Person", "Skill", "Team"])
    #expect(entities[0]["parent"] as? String == "Person")
    // Counts and rows include the records of subentities.
    let counts = try bench.ask("api/counts")
    #expect(counts["Person"] as? Int == 4)
    #expect(counts["Manager"] as? Int == 1)
    #expect(counts["Team"] as? Int == 2)

    let page = try bench.ask(
      "api/rows",
      [
        "entity": "Person", "condition": "age > 18", "sort": "-age",
        "columns": "name,age,team.name,skills.@count",
      ])
    #expect(
      BrowserBench.texts(page) == [["Margaret", "82", nil, "1"], ["Ada", "36", "Engines", "1"]])
    #expect(
      try bench.ask("api/count", ["entity": "Person", "condition": "age > 18"])["count"] as? Int
        == 2)
    let plan = try bench.ask("api/plan", ["entity": "Person", "condition": "name == 'Ada'"])
    #expect((plan["steps"] as? [String])?.isEmpty == false)

    let id = try bench.id("Person", "Ada")
    let record = try bench.ask("api/record", ["id": id])
    #expect(record["id"] as? String == id)
    #expect(record["label"] as? String == "Ada")
    let toOne = try #require(record["toOne"] as? [[String: Any]])
    #expect((toOne[0]["value"] as? [String: Any])?["label"] as? String == "Engines")
    let toMany = try #require(record["toMany"] as? [[String: Any]])
    #expect(toMany.map { $0["name"] as? String } == ["skills"])
    #expect(toMany[0]["count"] as? Int == 1)
    let members = try #require(toMany[0]["members"] as? [[String: Any]])
    #expect(members.map { $0["label"] as? String } == ["Swift"])
  }

  @Test(
    "a relationship is followed to all its records, in both directions", arguments: SampleKind.here)
  func following(kind: SampleKind) throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore(kind))
    let engines = try bench.id("Team", "Engines")
    let members = try bench.ask(
      "api/rows",
      ["entity": "Person", "of": engines, "via": "members", "sort": "name", "columns": "name"])
    #expect(BrowserBench.texts(members) == [["Ada"], ["Bob \"the, builder\""]])
    let adults = try bench.ask(
      "api/rows",
      [
        "entity": "Person", "of": engines, "via": "members", "condition": "age > 18",
        "columns": "name",
      ])
    #expect(BrowserBench.texts(adults) == [["Ada"]])
    // Many to many.
    let swift = try bench.id("Skill", "Swift", key: "title")
    let people = try bench.ask(
      "api/rows",
      ["entity": "Person", "of": swift, "via": "people", "sort": "name", "columns": "name"])
    #expect(BrowserBench.texts(people) == [["Ada"], ["Margaret"]])
    #expect(
      try bench.ask("api/count", ["entity": "Person", "of": swift, "via": "people"])["count"]
        as? Int == 2)
  }

  @Test("values of each type have their kind, and nil is told apart from what is empty")
  func values() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let page = try bench.ask(
      "api/rows",
      ["entity": "Person", "condition": "name == 'Ada'", "columns": "age,joined,photo,email,team"])
    let row = try #require((page["rows"] as? [[String: Any]])?.first?["cells"] as? [[String: Any]])
    #expect(
      row.map { $0["kind"] as? String } == ["number", "date", "data", "text", "record"])
    #expect(row[1]["text"] as? String == "2001-01-01T00:00:00Z")
    #expect(row[2]["text"] as? String == "010203")
    #expect(row[2]["size"] as? String == "3 bytes")

    let nothing = CellOutput.row.node(.null)
    #expect(nothing == .null)
    #expect(
      CellOutput.row.node(.string("")) == .object(["kind": .text("text"), "text": .text("")]))
    #expect(
      CellOutput.row.node(.data(Data()))
        == .object(["kind": .text("data"), "text": .text(""), "size": .text("0 bytes")]))
    let long = CellOutput.row.node(.data(Data(repeating: 0xAB, count: 4000))).line
    #expect(long.contains("\"size\":\"4.0 kB\",\"isCut\":true"))
    #expect(CellOutput.row.node(.boolean(false)).line.contains("\"false\""))
    #expect(CellOutput.row.node(.double(.infinity)).line.contains("\"inf\""))
    let cut = CellOutput.row.node(.string(String(repeating: "x", count: 300))).line
    #expect(cut.contains("\"isCut\":true") && cut.count < 260)
    #expect(
      !CellOutput.record.node(.string(String(repeating: "x", count: 300))).line.contains("isCut"))
  }

  @Test("bytes are written and read as pairs of digits")
  func hex() {
    #expect(HexText.text(of: Data([0, 15, 16, 255])) == "000f10ff")
    #expect(HexText.data(of: "00 0f10\nFF") == Data([0, 15, 16, 255]))
    #expect(HexText.data(of: "") == Data())
    for text in ["0", "0g", "０0", "0x00"] { #expect(HexText.data(of: text) == nil) }
  }

  @Test("what a store writes meanwhile is in the next answer", arguments: SampleKind.here)
  func beside(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let bench = try BrowserBench(sample, address)
    #expect(try bench.ask("api/counts")["Team"] as? Int == 2)
    let record = try bench.ask("api/record", ["id": try bench.id("Team", "Engines")])
    #expect(record["version"] as? Int == 1)
    let container = try sample.container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      try ManagedObject(entity: team, insertInto: context).setValue("Third", forKey: "name")
      try context.save()
    }
    try container.close()
    #expect(try bench.ask("api/counts")["Team"] as? Int == 3)
    let names = BrowserBench.texts(
      try bench.ask("api/rows", ["entity": "Team", "columns": "name", "sort": "name"]))
    #expect(names == [["Compilers"], ["Engines"], ["Third"]])
  }

  @Test("records whose relationships lead to another store are shown", arguments: SampleKind.here)
  func across(kind: SampleKind) throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStoreAcross(kind), keepsModel: true)
    let page = try bench.ask("api/rows", ["entity": "Person"])
    let row = try #require((page["rows"] as? [[String: Any]])?.first)
    let record = try bench.ask("api/record", ["id": try #require(row["id"] as? String)])
    #expect(record["label"] as? String == "Ada")
    let toOne = try #require(record["toOne"] as? [[String: Any]])
    #expect(toOne.map { $0["name"] as? String } == ["team"])
  }

  @Test("a binary store is busy while another process has it open, and is not kept from it")
  func binary() throws {
    let sample = try Sample()
    let address = try sample.makeStore(.binary)
    let bench = try BrowserBench(sample, address)
    // Another process that has the store open for writing holds this lock.
    let descriptor = open(String(address.dropFirst("binary:".count)), O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let answer = try bench.ask("api/counts", status: 503)
    #expect((answer["error"] as? String)?.isEmpty == false)
    #expect(flock(descriptor, LOCK_UN) == 0)
    #expect(try bench.ask("api/counts")["Team"] as? Int == 2)
  }

  @Test(
    "a store that was put in the place of the open one is shown",
    arguments: [SampleKind.sqlite, .lmdb, .binary])
  func replaced(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let other = try sample.makeStore(kind, "other")
    let container = try sample.container(other)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      try ManagedObject(entity: team, insertInto: context).setValue("Third", forKey: "name")
      try context.save()
    }
    try container.close()
    let bench = try BrowserBench(sample, address)
    #expect(try bench.ask("api/counts")["Team"] as? Int == 2)
    func path(_ address: String) -> String { String(address.split(separator: ":")[1]) }
    try FileManager.default.removeItem(atPath: path(address))
    try FileManager.default.moveItem(atPath: path(other), toPath: path(address))
    for suffix in ["-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: path(address) + suffix)
    }
    #expect(try bench.ask("api/counts")["Team"] as? Int == 3)
    #expect(try bench.ask("api/counts")["Team"] as? Int == 3)
  }

  @Test("the page needs nothing from elsewhere, and its policy lets nothing else run")
  func page() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let answer = bench.browser.answer(bench.request(""))
    #expect(answer.status == 200)
    #expect(answer.contentType == "text/html; charset=utf-8")
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("//cdn"))
    #expect(!text.contains("{{"))
    #expect(!text.contains("innerHTML") && !text.contains("document.write"))
    let nonce = try #require(
      answer.policy.firstMatch(of: /script-src 'nonce-([\w-]{32})'/)?.output.1)
    #expect(text.contains("<script nonce=\"\(nonce)\">"))
    #expect(text.contains("<style nonce=\"\(nonce)\">"))
    #expect(answer.policy.contains("default-src 'none'"))
    #expect(!answer.policy.contains("unsafe"))
    let other = bench.browser.answer(bench.request("")).policy
    #expect(other != answer.policy)
    let headers = Dictionary(uniqueKeysWithValues: answer.headers)
    #expect(headers["Cache-Control"] == "no-store")
    #expect(headers["Referrer-Policy"] == "no-referrer")
    #expect(headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test("the diagram is the drawing of “roost diagram”")
  func diagram() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let bench = try BrowserBench(sample, address)
    let answer = bench.browser.answer(bench.request("diagram.svg"))
    #expect(answer.contentType.hasPrefix("image/svg+xml"))
    #expect(!answer.policy.contains("script"))
    let drawn = sample.roost("diagram", sample.modelPath, "--svg", "-").output
    #expect(String(decoding: answer.body, as: UTF8.self) == drawn)
  }

  @Test("a value that is a script stays a text of JSON, also in a label")
  func scripts() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let script = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u{2028}"
    let container = try sample.container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      try ManagedObject(entity: team, insertInto: context).setValue(script, forKey: "name")
      try context.save()
    }
    try container.close()
    let bench = try BrowserBench(sample, address)
    let request = bench.request(
      "api/rows", ["entity": "Team", "columns": "name", "condition": "name BEGINSWITH '<'"])
    let answer = bench.browser.answer(request)
    #expect(answer.contentType == "application/json; charset=utf-8")
    #expect(answer.policy == "default-src 'none'; frame-ancestors 'none'")
    let page = try bench.ask("api/rows", request.query)
    #expect(BrowserBench.texts(page) == [[script]])
    // The page itself contains no data of the store.
    let html = String(decoding: bench.browser.answer(bench.request("")).body, as: UTF8.self)
    #expect(!html.contains("alert("))
  }

  @Test(
    "wrong names, conditions and places are told with the field that they are in",
    arguments: [
      ("api/rows", ["entity": "Persn"], 404, "Is Person meant?", nil),
      ("api/rows", [:], 400, "“entity” is missing.", nil),
      (
        "api/rows", ["entity": "Person", "condition": "nmae == 1"], 400, "Is name meant?",
        "condition"
      ),
      (
        "api/rows", ["entity": "Person", "condition": "name =="], 400,
        "at offset 7:\nname ==\n       ^", "condition"
      ),
      ("api/rows", ["entity": "Person", "sort": "-agee"], 400, "Is age meant?", "sort"),
      ("api/rows", ["entity": "Person", "columns": "name,agee"], 400, "Is age meant?", "columns"),
      ("api/rows", ["entity": "Person", "columns": "skills"], 400, "many values", "columns"),
      ("api/rows", ["entity": "Person", "columns": ","], 400, "No column", "columns"),
      ("api/rows", ["entity": "Person", "size": "0"], 400, "from 1 to 500", nil),
      ("api/rows", ["entity": "Person", "size": "501"], 400, "from 1 to 500", nil),
      ("api/rows", ["entity": "Person", "after": "nonsense"], 400, "“after” is no place", nil),
      (
        "api/rows", ["entity": "Person", "of": "Team/p99999999999999999999", "via": "members"], 404,
        "no record of this store", nil
      ),
      (
        "api/rows", ["entity": "Person", "of": "../x", "via": "members"], 404,
        "no record of this store", nil
      ),
      ("api/record", ["id": "Team/p4000"], 404, "There is no Team/p4000 any more.", nil),
      ("api/record", ["id": "Team"], 404, "no record of this store", nil),
      ("api/record", [:], 400, "“id” is missing.", nil),
      (
        "api/plan", ["entity": "Person", "condition": "age > 'x' AND"], 400, "at offset",
        "condition"
      ),
      ("api/nothing", [:], 404, "There is no “api/nothing” here.", nil),
      ("api/save", [:], 405, "written only", nil),
    ] as [(String, [String: String], Int, String, String?)])
  func faults(
    path: String, query: [String: String], status: Int, message: String, field: String?
  ) throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let answer = try bench.ask(path, query, status: status)
    let text = try #require(answer["error"] as? String)
    #expect(text.contains(message), "\(text)")
    #expect(answer["field"] as? String == field)
  }

  @Test("a relationship that there is not is told")
  func wrongRelationship() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let answer = try bench.ask(
      "api/rows",
      ["entity": "Person", "of": try bench.id("Team", "Engines"), "via": "memebrs"], status: 404)
    #expect((answer["error"] as? String)?.contains("has no relationship “memebrs”") == true)
  }
}
