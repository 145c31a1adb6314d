// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@Suite struct DamageTests {
  private func filled() throws -> (office: Office, url: URL) {
    let office = try Office()
    try office.insert(
      try (0..<400).map {
        try office.row(
          office.names.person,
          [
            "nick": .string("person \($0)"), "age": .integer(Int64($0)),
            "photo": .data(Data(count: 99)),
          ])
      })
    office.store.close()
    return (office, try #require(office.description.url))
  }

  /// Opens the store, reads everything and writes; returns the code of the first error.
  private func use(_ office: Office) -> PersistenceError.Code? {
    do {
      let store = try Office.open(office.description, office.names)
      defer { store.close() }
      _ = try store.fetch(office.request(office.names.person))
      _ = store.metadata
      let row = Row(
        layout: office.names.person.layout,
        key: RecordKey.make(sequence: try store.reserveSequences(1).lowerBound, entityCode: 1),
        version: 1)
      _ = try store.commit(StoreChangeSet(inserted: [row]))
      return nil
    } catch let error as PersistenceError {
      return error.code
    } catch {
      return PersistenceError.Code(rawValue: -1)
    }
  }

  @Test("a damaged file gives a typed error or works, and never ends the process")
  func mutations() throws {
    let (office, url) = try filled()
    let original = try Data(contentsOf: url)
    var random = SplitMix(seed: 11)
    let expected: Set<PersistenceError.Code> = [
      .corruptStore, .persistentStoreTypeMismatch, .persistentStoreOperation,
      .persistentStoreOpen,
    ]
    for round in 0..<60 {
      var bytes = original
      switch round % 4 {
      case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      case 1:
        let page = Int.random(in: 1..<bytes.count / 4096, using: &random) * 4096
        bytes.replaceSubrange(page..<page + 4096, with: Data(count: 4096))
      case 2:
        let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
        for index in page..<page + 16 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      default:
        for _ in 0..<30 {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      try bytes.write(to: url)
      if let code = use(office) { #expect(expected.contains(code), "\(round): \(code)") }
      for side in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + side)
      }
    }
    try original.write(to: url)
    #expect(use(office) == nil)
  }

  @Test(
    "what Roost has not put into a file is found out before it can do harm",
    arguments: [
      "CREATE TRIGGER t AFTER INSERT ON Tag BEGIN DELETE FROM Person; END",
      "CREATE VIEW v AS SELECT 1",
      "UPDATE _roost_names SET identifier = 'x\"; DROP TABLE Person; --'",
      "UPDATE _roost_metadata SET json = '{}'",
      "UPDATE _roost_metadata SET json = 'no json'",
      "DELETE FROM _roost_metadata",
      "UPDATE Person SET nick = CAST(X'FF' AS TEXT)",
      "UPDATE Person SET uuid = X'00'",
      "UPDATE Person SET balance = X'00'",
      "UPDATE Person SET _key = 4095 WHERE _key = (SELECT max(_key) FROM Person)",
    ])
  func hostileContent(_ sql: String) throws {
    let (office, url) = try filled()
    #expect(RawDatabase(url).run(sql) == 0)
    #expect(use(office) == .corruptStore)
  }

  @Test("an error of a damaged value names the entity, the property and the record, not the value")
  func namedDamage() throws {
    let (office, url) = try filled()
    RawDatabase(url).run("UPDATE Person SET nick = CAST(X'FF' AS TEXT) WHERE age = 7")
    try office.reopen()
    let error = #expect(throws: PersistenceError.self) { try office.all(office.names.person) }
    #expect(error?.entityName == "Person")
    #expect(error?.key == "nick")
    #expect(try office.rows(office.request(office.names.tag)).isEmpty)
  }
}
