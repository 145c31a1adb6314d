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

  @Test(
    "keys that come in order are handed on one by one to whoever asks for that, as far as they are wanted (B126)"
  )
  func collectedKeys() throws {
    let store = try company.store()
    let rows = (1...20).map { number in
      Row(layout: company.person.layout, key: company.key(Int64(number)), version: 1)
    }
    _ = try store.commit(StoreChangeSet(inserted: rows))
    var request = ResolvedFetch(
      entity: company.person, entities: [company.person], limit: 12, result: .keys)
    let collector = KeyCollector()
    // Keys collected earlier are dropped: a request may be retried.
    for _ in 0..<2 {
      guard
        case .keys(let rest) = try store.fetch(
          request, in: FetchContext(keyCollector: collector)
        ).content
      else {
        Issue.record("keys were asked for")
        return
      }
      #expect(rest.isEmpty)
      #expect((0..<collector.keys.count).map { collector.keys[$0] } == rows.prefix(12).map(\.key))
    }
    // With an offset the list is used.
    request.offset = 3
    request.limit = nil
    guard
      case .keys(let keys) = try store.fetch(
        request, in: FetchContext(keyCollector: collector)
      ).content
    else {
      Issue.record("keys were asked for")
      return
    }
    #expect(keys == rows.dropFirst(3).map(\.key))
  }
}
