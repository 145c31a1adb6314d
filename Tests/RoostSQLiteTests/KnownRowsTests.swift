// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore
import Testing

/// Tests that a row that the caller already has is not read again.
@Suite struct KnownRowsTests {
  private struct Known: KnownRows {
    var rows: [Int64: Row] = [:]

    func row(forKey key: Int64, version: Int64) -> Row? {
      rows[key].flatMap { $0.version == version ? $0 : nil }
    }
  }

  @Test(
    "a fetch returns the asker's own row of a record in the same version, and reads the others (B51)"
  )
  func sameVersion() throws {
    let office = try Office()
    let rows = try (0..<3).map {
      try office.insert(office.names.person, ["email": .string("\($0)")])
    }
    let update = office.update(rows[1], ["email": .string("new")])
    guard case .committed = try office.store.commit(StoreChangeSet(updated: [update])) else {
      Issue.record("The update was refused.")
      return
    }
    let known = Known(rows: [rows[0].key: rows[0], rows[1].key: rows[1]])
    let found = try office.rows(
      office.request(office.names.person), in: FetchContext(knownRows: known))
    #expect(found.map { $0.text("email") } == ["0", "new", "2"])
    #expect(found[0].isIdentical(to: rows[0]))
    #expect(!found[2].isIdentical(to: rows[2]))
  }
}
