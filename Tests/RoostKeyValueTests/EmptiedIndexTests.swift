// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of indexes that the model no longer has.
@Suite struct EmptiedIndexTests {
  @Test("the entries of an index that the model no longer has are given up (B12)")
  func emptied() throws {
    let company = try Company { entities in
      let badges = FetchIndexDescription(
        name: "badges", elements: [FetchIndexElementDescription(propertyName: "badge")])
      entities["Person"]?.indexes.append(badges)
    }
    let population = try Population(company, seed: 5)
    try population.addPeople(40)
    let store = population.store
    let table = try #require(
      store.preparedSchema().indexes.first { $0.name == "Person.badges" }?.table)
    func count() throws -> Int {
      var count = 0
      try store.engine.read { snapshot in
        try snapshot.scanKeys(of: table, in: .all, descending: false) { part in
          count += part.count
          return true
        }
      }
      return count
    }
    #expect(try count() == 40)
    try store.prepare(Company().schema, metadata: store.metadata)
    #expect(try store.preparedSchema().indexes.allSatisfy { $0.name != "Person.badges" })
    #expect(try count() == 0)
  }
}
