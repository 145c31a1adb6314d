// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Counters and log")
struct CountersTests {
  @Test("requests, rows and statements are counted a store and in total")
  func counters() throws {
    let stack = try Stack()
    let (first, second) = (try stack.addStore("a"), try stack.addStore("b"))
    try stack.insertPeople([("Ada", 1), ("Bob", 2)], into: first)
    try stack.insertPeople([("Cleo", 3)], into: second)
    _ = try stack.fetch(stack.people())
    let counters = stack.coordinator.counters(for: first)
    #expect(counters.fetches == 1)
    #expect(counters.commits == 1)
    #expect(counters.reservations == 1)
    #expect(counters.rows == 2)
    #expect(counters.statements == 1)
    #expect(counters.roundTrips == 3)
    #expect(stack.coordinator.counters == counters + stack.coordinator.counters(for: second))
    #expect(stack.coordinator.counters.rows == 3)
  }

  @Test("the log shows statements and plans while it is on, of later stores too, and no values")
  func log() throws {
    let stack = try Stack()
    let first = try stack.addStore("hr")
    let lines = Mutex<[String]>([])
    stack.coordinator.setLog { line in lines.withLock { $0.append(line.description) } }
    try stack.addStore("late")
    try stack.insertPeople([("Secret", 1)], into: first)
    _ = try stack.fetch(stack.people(where: stack.isOlder(than: 30)))
    stack.coordinator.setLog(nil)
    _ = try stack.fetch(stack.people())
    let seen = lines.withLock { $0 }
    #expect(seen.filter { $0 == "[hr] scan Person" }.count == 1)
    #expect(seen.filter { $0 == "[late] scan Person" }.count == 1)
    #expect(seen.contains { $0.contains("memory: the condition") })
    #expect(!seen.contains { $0.contains("Secret") })
  }

  @Test("errors and logs name a store by its file, without folder, user or password")
  func storeNames() {
    func name(_ text: String) -> String {
      StoreNaming.displayName(url: URL(string: text), identifier: "UUID")
    }
    #expect(name("postgres://user:secret@host/db") == "db")
    #expect(name("file:///private/ada/hr.sqlite") == "hr.sqlite")
    #expect(name("postgres://user:secret@host") == "UUID")
    #expect(StoreNaming.displayName(url: nil, identifier: "UUID") == "UUID")
  }
}
