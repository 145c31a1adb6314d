// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@testable import RoostSQLite

/// Tests that the stored version is the version plus one, so that the first change does not make a record longer.
@Suite struct StoredVersionTests {
  private func stored(in office: Office) -> String? {
    guard let url = office.description.url else { return nil }
    return RawDatabase(url).text(#"SELECT group_concat("_version") FROM "Person""#)
  }

  @Test("a record has version 1 at first, in the byte that the next version takes too (B173)")
  func firstVersions() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["name": .string("Ada")])
    #expect(stored(in: office) == "2")
    #expect(try office.all(office.names.person).map(\.version) == [1])
    #expect(try office.store.row(forKey: row.key)?.version == 1)
    let update = office.update(row, ["name": .string("Ida")])
    guard case .committed = try office.store.commit(StoreChangeSet(updated: [update])) else {
      return _ = Issue.record("The change was refused.")
    }
    #expect(stored(in: office) == "3")
    #expect(try office.store.rows(forKeys: [row.key]).map(\.version) == [2])
    #expect(try office.store.row(forKey: row.key)?.version == 2)
  }

  @Test(
    "a damaged version is a version like any other: it is read, and no change passes over it",
    arguments: [Int64.min, -1, 0, 1, .max])
  func damage(_ number: Int64) throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["name": .string("Ada")])
    guard let url = office.description.url else { return }
    RawDatabase(url).run(#"UPDATE "Person" SET "_version" = \#(number)"#)
    let found = try office.all(office.names.person)
    #expect(found.count == 1 && found.first?.version != 1)
    #expect(try office.store.row(forKey: row.key)?.version == found.first?.version)
    let update = office.update(row, ["name": .string("Ida")])
    guard case .conflicted = try office.store.commit(StoreChangeSet(updated: [update])) else {
      return _ = Issue.record("A change was written over another one.")
    }
    #expect(try office.store.rows(forKeys: [row.key]).map { $0.text("name") } == ["Ada"])
  }
}
