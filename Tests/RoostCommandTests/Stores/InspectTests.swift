// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import Testing

/// Tests of `roost inspect`.
@Suite struct InspectTests {
  @Test(
    "kind, UUID, entities, counts, properties and indexes are shown", arguments: SampleKind.here)
  func text(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let result = sample.roost("inspect", store, "--model", sample.modelPath)
    #expect(result.errors.isEmpty)
    let description = try sample.description(store)
    let metadata = try #require(try description.type.driver.metadata(of: description))
    for text in [
      "  type     \(metadata.storeType)\n", "  UUID     \(metadata.identifier)\n",
      "  records  7 records of 4 entities\n", "\nPerson  3 records\n",
      "\nManager: Person  1 record\n", "\n  level  integer16, default 1\n",
      "\n  email   string, optional\n", "\n  team    -> Team, inverse members, optional, nullify\n",
      "\n  skills  ->> Skill, inverse people, optional, nullify\n", "\n  unique  email\n",
      "\n  index   byName (name)\n", "\n  members  ->> Person, inverse team, optional, cascade\n",
    ] {
      #expect(result.output.contains(text), "\(text) in \(result.output)")
    }
    let size = result.output.split(separator: "\n").first { $0.hasPrefix("  size ") }
    #expect(size?.contains("B") == true, "\(result.output)")
    #expect(!result.output.contains("roost:roost@"))
  }

  @Test("JSON has the same")
  func json() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.roost("inspect", store, "--json", "--model", sample.modelPath)
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(root["type"] as? String == "SQLite")
    let entities = try #require(root["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Manager", "Person", "Skill", "Team"])
    #expect(entities.map { $0["count"] as? Int } == [1, 3, 1, 2])
    let person = entities[1]
    #expect((person["attributes"] as? [[String: Any]])?.count == 5)
    #expect(person["unique"] as? [[String]] == [["email"]])
    let files = try #require(root["files"] as? [[String: Any]])
    #expect((files.first?["bytes"] as? Int ?? 0) > 4096)
  }

  @Test(
    "the size of a store on a server is that of its tables and indexes",
    .enabled(if: TestDatabase.uri != nil))
  func serverSize() throws {
    let sample = try Sample()
    let store = try sample.makeStore(.postgresql)
    func size() throws -> Int {
      let result = sample.roost("inspect", store, "--json", "--model", sample.modelPath)
      let root = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      #expect((root?["files"] as? [Any])?.isEmpty == true)
      return try #require(root?["serverBytes"] as? Int)
    }
    let before = try size()
    #expect(before > 8192)
    let file = sample.path("Team.csv")
    let names = (1...5000).map { "A team with the number \($0)" }
    try Data((["name"] + names).joined(separator: "\n").utf8).write(to: URL(filePath: file))
    #expect(sample.roost("import", store, file, "-m", sample.modelPath).code == 0)
    #expect(try size() > before + 100_000)
  }

  @Test("metadata of the program is shown")
  func metadata() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let description = try sample.description(store)
    var metadata = try #require(try description.type.driver.metadata(of: description))
    metadata.userValues["lastImport"] = .string("yesterday")
    try description.type.driver.setMetadata(metadata, of: description)
    let result = sample.roost("inspect", store, "--model", sample.modelPath)
    #expect(result.output.contains(#"  metadata  lastImport = "yesterday""#), "\(result.output)")
  }

  @Test("saves over several stores that were ended by hand are shown (X6)")
  func endedByHand() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let description = try sample.description(store)
    var metadata = try #require(try description.type.driver.metadata(of: description))
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "D", name: "cash.mdb"), participants: [],
      startedAt: 5)
    metadata.note(
      SaveEndedByHand(
        of: PreparedPart(ticket: ticket, keys: [1, 2]), isCommitted: false,
        endedAt: Date(timeIntervalSinceReferenceDate: 0)))
    try description.type.driver.setMetadata(metadata, of: description)
    let words = sample.roost("inspect", store, "--model", sample.modelPath).output
    let line =
      "  by hand  discarded 2 records of save \(ticket.id.uuid), which cash.mdb was to decide, on "
    #expect(words.contains(line) && words.contains("2001"), "\(words)")
    let json = sample.roost("inspect", store, "--json", "--model", sample.modelPath).output
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let saves = try #require(root["savesEndedByHand"] as? [[String: Any]])
    #expect(saves.count == 1)
    #expect(saves[0]["save"] as? String == ticket.id.uuid.uuidString)
    #expect(saves[0]["committed"] as? Bool == false)
    #expect(saves[0]["records"] as? Int == 2)
  }
}
