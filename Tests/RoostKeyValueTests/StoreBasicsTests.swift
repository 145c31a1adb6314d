// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

@Suite struct StoreBasicsTests {
  let company: Company

  init() throws { company = try Company() }

  @Test("a commit stores the rows that it is given, and a fetch hands out the same memory")
  func commitAndFetch() throws {
    let store = try company.store()
    let row = Row(layout: company.person.layout, key: company.key(1), version: 1)
    row.setString("Ada", at: company.slot("name"))
    _ = try store.commit(StoreChangeSet(inserted: [row]))
    let result = try store.fetch(
      ResolvedFetch(entity: company.person, entities: company.person.concreteEntities))
    guard case .rows(let rows) = result.content else {
      Issue.record("rows were asked for")
      return
    }
    #expect(rows.count == 1 && rows[0].isIdentical(to: row))
    #expect(try store.rows(forKeys: [company.key(2), company.key(1)]).map(\.key) == [row.key])
  }
}
