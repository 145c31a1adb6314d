// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Faulting")
struct FaultingTests {
  let stack: Stack
  let store: MinimalStore
  let ids: [ObjectID]

  init() throws {
    let first = try Stack.withStore()
    ids = try first.stack.insertPeople(
      (0..<100).map { ("P\($0)", $0) }, into: first.store)
    // Another coordinator, so that the cache is empty.
    stack = try Stack(company: first.stack.company, driver: first.stack.driver)
    store = try stack.addStore("all")
  }

  @Test("rows of many IDs come in one request, in the order of the IDs")
  func manyRows() throws {
    let asked = Array(ids.reversed())
    let rows = try stack.coordinator.rows(for: asked)
    #expect(rows.map { $0?.key } == asked.map(\.key))
    #expect(stack.coordinator.counters.roundTrips == 1)
  }

  @Test("what one context has read, another gets from the cache (B51)")
  func sharedCache() throws {
    let first = try stack.coordinator.rows(for: Array(ids[0..<10]))
    let before = stack.coordinator.counters
    let second = try stack.coordinator.rows(for: Array(ids[0..<20]))
    let spent = stack.coordinator.counters - before
    #expect(spent.roundTrips == 1)
    #expect(spent.cacheHits == 10)
    #expect(store.script.withLock { $0.rowRequests.last?.count } == 10)
    for index in 0..<10 {
      let (old, new) = (try #require(first[index]), try #require(second[index]))
      #expect(new.isIdentical(to: old))
    }
  }

  @Test("a row older than the interval is read again, negative means never, 0 always (B50)")
  func staleness() throws {
    let id = [ids[0]]
    _ = try stack.coordinator.rows(for: id)
    stack.clock.advance(60)
    func requests(_ interval: Double) throws -> Int {
      let before = stack.coordinator.counters
      _ = try stack.coordinator.rows(for: id, stalenessInterval: interval)
      return (stack.coordinator.counters - before).rowRequests
    }
    #expect(try requests(-1) == 0)
    #expect(try requests(61) == 0)
    #expect(try requests(59) == 1)
    #expect(try requests(59) == 0)
    #expect(try requests(0) == 1)
    #expect(try requests(0) == 1)
  }

  @Test("a change by somebody else is seen when the row is read again, not before (B50)")
  func foreignChanges() throws {
    _ = try stack.coordinator.rows(for: [ids[0]])
    let other = try Stack(company: stack.company, driver: stack.driver)
    try other.addStore("all")
    try other.commit(.updating([other.update(ids[0], name: "New", age: 1, from: 1)]))
    #expect(try stack.coordinator.rows(for: [ids[0]])[0]?.version == 1)
    #expect(try stack.coordinator.rows(for: [ids[0]], stalenessInterval: 0)[0]?.version == 2)
    #expect(stack.coordinator.cachedRow(for: ids[0])?.version == 2)
  }

  @Test("one record is asked for in one request, past the cache, and is counted (B42)")
  func oneRow() throws {
    let first = try stack.coordinator.existingRow(for: ids[7])
    #expect(first.key == ids[7].key)
    let before = stack.coordinator.counters
    let second = try stack.coordinator.existingRow(for: ids[7])
    let spent = stack.coordinator.counters - before
    #expect(second.isIdentical(to: first))
    #expect(spent.roundTrips == 1 && spent.rowRequests == 1 && spent.rows == 1)
    #expect(spent.cacheHits == 0)
    #expect(store.script.withLock { $0.rowRequests.suffix(2) } == [[ids[7].key], [ids[7].key]])
  }

  @Test("a record that is gone has no row, and the coordinator throws no error (B328)")
  func goneRecord() throws {
    let other = try Stack(company: stack.company, driver: stack.driver)
    try other.addStore("all")
    try other.commit(.deleting([RecordVersion(id: ids[1], version: 1)]))
    let rows = try stack.coordinator.rows(for: Array(ids[0...2]))
    #expect(rows.map { $0 == nil } == [false, true, false])
  }

  @Test(
    "each record is handed on once, at its place, whether it is cached, to be read, asked for twice or gone (B51)"
  )
  func recordsOfOneKind() throws {
    let other = try Stack(company: stack.company, driver: stack.driver)
    try other.addStore("all")
    try other.commit(.deleting([RecordVersion(id: ids[1], version: 1)]))
    // Consecutive records, records with gaps, a repeated one, a single one, and none, each with different cached
    // rows.
    for places in [[9, 8, 7], [2, 1, 0], [5, 3, 5], [9, 2, 1, 7], [1], []] {
      for cached in [[], [9, 2], [9, 8, 7]] {
        let anew = try Stack(company: stack.company, driver: stack.driver)
        try anew.addStore("all")
        if !cached.isEmpty { _ = try anew.coordinator.rows(for: cached.map { ids[$0] }) }
        let before = anew.coordinator.counters
        let list = ObjectIDList(
          keys: ContiguousArray(places.map { ids[$0].key }), scope: ids[0].scope)
        var found: [Int: Int64?] = [:]
        try anew.coordinator.forEachRow(of: list, stalenessInterval: -1) { place, row in
          #expect(found.updateValue(row?.key, forKey: place) == nil)
        }
        #expect(found.count == places.count)
        for (place, number) in places.enumerated() {
          #expect(found[place] == .some(number == 1 ? nil : ids[number].key))
        }
        let isAtHand = Set(places).isSubset(of: cached)
        #expect((anew.coordinator.counters - before).roundTrips == (isAtHand ? 0 : 1))
      }
    }
  }

  @Test(
    "a record of a store that was removed is refused, and an unsaved one has no row (B29, B235)")
  func recordsWithoutStore() throws {
    let unsaved = IDScope.makeTemporaryID(for: stack.company.person)
    var places: [Int] = []
    try stack.coordinator.forEachRow(
      of: ObjectIDList(keys: [unsaved.key], scope: unsaved.scope), stalenessInterval: -1
    ) { place, row in
      places.append(place)
      #expect(row == nil)
    }
    #expect(places == [0])
    try stack.coordinator.remove(store)
    #expect(throws: PersistenceError(.storeRemoved, "")) {
      try stack.coordinator.forEachRow(
        of: ObjectIDList(keys: [ids[0].key], scope: ids[0].scope), stalenessInterval: -1
      ) { _, _ in Issue.record("There is no store.") }
    }
  }

  @Test("a record found gone leaves the cache")
  func goneRecordLeavesCache() throws {
    _ = try stack.coordinator.rows(for: [ids[1]])
    let other = try Stack(company: stack.company, driver: stack.driver)
    try other.addStore("all")
    try other.commit(.deleting([RecordVersion(id: ids[1], version: 1)]))
    #expect(try stack.coordinator.rows(for: [ids[1]])[0] != nil)
    #expect(try stack.coordinator.rows(for: [ids[1]], stalenessInterval: 0)[0] == nil)
    #expect(stack.coordinator.cachedRow(for: ids[1]) == nil)
  }

  @Test("the existing row is read from the store, and its absence is 133000 (B42)")
  func existingRow() throws {
    _ = try stack.coordinator.rows(for: [ids[0]])
    #expect(try stack.coordinator.existingRow(for: ids[0]).key == ids[0].key)
    let unknown = try #require(
      stack.coordinator.managedObjectID(
        for: "roost://\(store.identity.identifier)/Person/p999999"))
    do {
      _ = try stack.coordinator.existingRow(for: unknown)
      Issue.record("There is no such record.")
    } catch let error as PersistenceError {
      #expect(error.code.rawValue == 133000)
      #expect(error.objectIDs == [unknown])
    }
  }

  @Test("a temporary ID has no row in any store (B29)")
  func temporaryIDs() throws {
    let id = IDScope.makeTemporaryID(for: stack.company.person)
    #expect(try stack.coordinator.rows(for: [id])[0] == nil)
    #expect(stack.coordinator.cachedRow(for: id) == nil)
    #expect(stack.coordinator.counters.roundTrips == 0)
    #expect(
      errorCode { _ = try stack.coordinator.existingRow(for: id) } == .objectReferentialIntegrity)
  }

  @Test("looking into the cache never asks a store (B41)")
  func cachedRow() throws {
    #expect(stack.coordinator.cachedRow(for: ids[0]) == nil)
    #expect(stack.coordinator.counters.roundTrips == 0)
    _ = try stack.coordinator.rows(for: [ids[0]])
    #expect(stack.coordinator.cachedRow(for: ids[0]) != nil)
  }

  @Test("a request while the record is deleted does not bring it back into the cache")
  func deletedDuringRead() throws {
    let (coordinator, id) = (stack.coordinator, ids[3])
    store.script.withLock { script in
      script.duringRows = {
        _ = try? coordinator.commit(.deleting([RecordVersion(id: id, version: 1)]))
      }
    }
    _ = try coordinator.rows(for: [id])
    #expect(coordinator.cachedRow(for: id) == nil)
  }

  // MARK: Relationships

  @Test(
    "destinations of many sources come in one request, ordered where the relationship is (B38, B78)"
  )
  func destinations() throws {
    let company = stack.company
    let departments = try ["Lab", "Mill", "Yard"].map {
      try stack.insert(company.department, named: $0, into: store)
    }
    let lab = try stack.insertPeople(
      [("A", 1), ("B", 2)], into: store, department: departments[0])
    let yard = try stack.insertPeople([("C", 3)], into: store, department: departments[2])
    let before = stack.coordinator.counters
    let people = company.relationship("people", of: company.department)
    let found = try stack.coordinator.destinations(of: people, for: departments)
    #expect((stack.coordinator.counters - before).roundTrips == 1)
    #expect(Array(found[source: 0]) == lab)
    #expect(found[source: 1].isEmpty)
    #expect(Array(found[source: 2]) == yard)
    #expect(found.positions.count == 3)
  }

  @Test("sources of several stores, and unsaved ones, keep their places (B325)")
  func destinationsOfSeveralStores() throws {
    let company = stack.company
    let second = try stack.addStore("second")
    let far = try stack.insert(company.department, named: "Far", into: second)
    let near = try stack.insert(company.department, named: "Near", into: store)
    let unsaved = IDScope.makeTemporaryID(for: company.department)
    let members = try stack.insertPeople([("A", 1)], into: second, department: far)
    let others = try stack.insertPeople([("B", 2), ("C", 3)], into: store, department: near)
    let people = company.relationship("people", of: company.department)
    let found = try stack.coordinator.destinations(of: people, for: [far, unsaved, near, far])
    #expect(Array(found[source: 0]) == members)
    #expect(found[source: 1].isEmpty)
    #expect(Array(found[source: 2]) == others)
    #expect(Array(found[source: 3]) == members)
    #expect(found.positions.count == found.ids.count)
  }

  @Test("destinations that are not those of the sources are refused: somebody wrote that store")
  func wrongDestinations() throws {
    let department = try stack.insert(stack.company.department, named: "Lab", into: store)
    let people = stack.company.relationship("people", of: stack.company.department)
    for (offsets, keys, positions) in [
      ([0], [], []), ([0, 0, 0], [], []), ([1, 1], [7], []), ([0, 2], [7], []),
      ([0, 1], [7], [1, 2]),
    ] as [([Int], [Int64], [Int64])] {
      var answer = RelationshipDestinations(offsets: offsets, keys: keys)
      answer.positions = positions
      store.script.withLock { [answer] in $0.destinations = answer }
      #expect(
        errorCode { _ = try stack.coordinator.destinations(of: people, for: [department]) }
          == .persistentStoreOperation, "\(offsets)")
    }
  }
}
