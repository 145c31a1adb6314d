// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@Suite struct ConcurrencyTests {
  @Test("whoever waits for another writer waits until the time is over, then is told")
  func busy() throws {
    let office = try Office()
    let row = try office.row(office.names.person)
    let store = try office.second { $0.timeout = 0.1 }
    let other = RawDatabase(try #require(office.description.url))
    other.run("BEGIN IMMEDIATE")
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try store.commit(StoreChangeSet(inserted: [row]))
    }
    #expect(try office.all(office.names.person).isEmpty)
    other.run("COMMIT")
    guard case .committed = try store.commit(StoreChangeSet(inserted: [row])) else {
      Issue.record("Nobody is in the way any more.")
      return
    }
    store.close()
  }

  @Test("a reader keeps its snapshot while another store writes, and sees the commit afterwards")
  func twoStores() throws {
    let office = try Office()
    let store = try office.second()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    #expect(try store.rows(forKeys: [row.key]).first?.text("nick") == "a")
    _ = try store.commit(
      StoreChangeSet(updated: [office.update(row, ["nick": .string("b")])]))
    #expect(try office.all(office.names.person).map { $0.text("nick") } == ["b"])
    store.close()
    #expect(try office.all(office.names.person).count == 1)
  }

  @Test("increments of many threads over two stores add up: no update is lost (B176)")
  func increments() async throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["age": .integer(0)])
    let stores = [office.store, try office.second()]
    let names = office.names
    let age = try #require(names.person.layout.slot(named: "age"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        let store = stores[task % 2]
        group.addTask {
          for _ in 0..<25 {
            while true {
              let old = try #require(try store.rows(forKeys: [row.key]).first)
              let new = old.copy(version: old.version + 1)
              new.setInteger(old.integer(age) + 1, at: age)
              let update = RowUpdate(
                row: new, baseVersion: old.version, changedSlots: [age.index])
              if case .committed = try store.commit(StoreChangeSet(updated: [update])) { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let read = try #require(try office.all(names.person).first)
    #expect(read.integer(age) == 100)
    #expect(read.version == 101)
    stores[1].close()
  }

  @Test("many readers share a few connections while one writes")
  func readers() async throws {
    let office = try Office()
    try office.insert(
      try (0..<200).map { try office.row(office.names.person, ["age": .integer(Int64($0))]) })
    let store = office.store
    let request = office.request(office.names.person)
    let rows = try (0..<50).map { try office.row(office.names.tag, ["name": .string("\($0)")]) }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<12 {
        group.addTask {
          var count = 0
          for _ in 0..<10 {
            guard case .rows(let rows) = try store.fetch(request).content else {
              Issue.record("The answer has another form.")
              continue
            }
            count += rows.count
          }
          return count
        }
      }
      group.addTask {
        for row in rows { _ = try store.commit(StoreChangeSet(inserted: [row])) }
        return 2000
      }
      for try await count in group { #expect(count == 2000) }
    }
    #expect(try office.all(office.names.tag).count == 50)
  }

  @Test("a number is never given twice: not by two stores, not by threads, not after reopening")
  func sequences() async throws {
    let office = try Office()
    let stores = [office.store, try office.second()]
    var all: [Int64] = []
    try await withThrowingTaskGroup(of: [Int64].self) { group in
      for task in 0..<4 {
        let store = stores[task % 2]
        group.addTask {
          try [1, 2, 3, 500, 1, 1].flatMap { count in
            let numbers = try store.reserveSequences(count)
            #expect(numbers.count == count)
            return Array(numbers)
          }
        }
      }
      for try await numbers in group { all += numbers }
    }
    stores[1].close()
    try office.reopen()
    all += Array(try office.store.reserveSequences(10))
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0 > 0 })
  }

  @Test("a thousand reservations of one number take a handful of transactions")
  func reservationCost() throws {
    let office = try Office()
    let log = try #require(office.description.log)
    let before = log.statements
    for _ in 0..<1_000 { _ = try office.store.reserveSequences(1) }
    #expect(log.statements - before < 10)
  }

  @Test("a fetch, a request for rows and one for destinations are one statement each")
  func statements() throws {
    let office = try Office()
    let names = office.names
    let rows = try (0..<100).map { _ in try office.row(names.department) }
    try office.insert(rows)
    let log = try #require(office.description.log)
    func count(_ body: () throws -> Void) rethrows -> Int {
      let before = log.statements
      try body()
      return log.statements - before
    }
    #expect(try count { _ = try office.all(names.department) } == 1)
    #expect(try count { _ = try office.store.rows(forKeys: rows.map(\.key)) } == 1)
    let people = try #require(
      names.department.relationshipsInOrder.first { $0.name == "people" })
    #expect(
      try count {
        _ = try office.store.destinations(of: people, forSources: rows.map(\.key))
      } == 1)
    #expect(
      try count {
        _ = try office.store.commit(
          StoreChangeSet(updated: [office.update(rows[0], ["name": .string("a")])]))
      } == 1)
  }

  @Test("the log shows statements without the values that are bound to them")
  func log() throws {
    let office = try Office()
    let lines = Lines()
    office.description.log?.listen { lines.add($0.text) }
    try office.insert(office.names.tag, ["name": .string("secret")])
    let name = compare(
      office.names.tag.path("name"), .equalTo, .constant(.string("secret")))
    _ = try office.rows(office.request(office.names.tag, where: name))
    office.description.log?.listen(nil)
    let text = lines.text
    #expect(text.contains("INSERT INTO \"Tag\""))
    #expect(text.contains("SELECT"))
    #expect(!text.contains("secret"))
  }
}

/// Lines that several threads may append to.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  var text: String {
    lines.withLock { $0.joined(separator: "\n") }
  }
}
