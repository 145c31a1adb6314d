// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import Synchronization
import Testing

@testable import RoostCommandKit

/// Tests of the store of `roost browse`: its history, and its replacement by another store.
@Suite struct BrowserStoreTests {
  @Test("an old history outlives what the page writes, and what commands open (H13)")
  func history() throws {
    let sample = try Sample()
    let address = try sample.address(.sqlite)
    var description = try sample.description(address)
    description.options[StoreOption.historyTracking] = .boolean(true)
    description.historyRetention = .unlimited
    let container = try PersistentContainer(
      name: "HR", model: sample.model(), stores: [description])
    try container.loadPersistentStores()
    // A time two years ago.
    let then = Date.now.timeIntervalSinceReferenceDate - 730 * 86_400
    container.persistentStoreCoordinator.historyTicks.clock = { then }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      for name in ["Engines", "Compilers"] {
        try ManagedObject(entity: team, insertInto: context).setValue(name, forKey: "name")
        try context.save()
      }
    }
    try container.close()

    let bench = try BrowserBench(sample, address, isWritable: true)
    _ = try bench.save(["operation": "insert", "entity": "Team", "values": ["name": "Third"]])
    try bench.browser.sessions.use { session in
      #expect(session.store.metadata.keepsHistory)
      // Trimming that runs automatically soon after a commit.
      #expect(try HistoryTrimmer.trim(session.coordinator) == 0)
      let times = try #require(session.store.history).transactions(after: nil, limit: 10)
        .map(\.timestamp)
      #expect(times.count == 3)
      #expect(times.first.map { abs($0 - then) < 1 } == true)
    }
    // The descriptions that other commands use for their stores.
    for kind in SampleKind.files {
      let address = try StoreAddress(sample.address(kind, "new"))
      #expect(try address.destination().historyRetention == .unlimited)
    }
    #expect(try StoreAddress(address).existing().historyRetention == .unlimited)
  }

  private func path(_ address: String) -> String { String(address.split(separator: ":")[1]) }

  private func replace(_ address: String, by other: String) throws {
    try FileManager.default.removeItem(atPath: path(address))
    try FileManager.default.moveItem(atPath: path(other), toPath: path(address))
    for suffix in ["-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: path(address) + suffix)
    }
  }

  @Test(
    "a change of a record of the store that was there before is refused",
    arguments: SampleKind.files)
  func wrongStore(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let other = try sample.makeStore(kind, "other")
    let bench = try BrowserBench(sample, address, isWritable: true)
    let shown = try #require(try bench.ask("api/store")["identifier"] as? String)
    let id = try bench.id("Team", "Engines")
    try replace(address, by: other)
    let changes: [[String: Any]] = [
      ["operation": "update", "id": id, "version": 1, "values": ["name": "X"]],
      ["operation": "delete", "id": id, "version": 1],
      ["operation": "insert", "entity": "Team", "values": ["name": "X"]],
    ]
    for var change in changes {
      change["store"] = shown
      let answer = try bench.save(change, status: 409)
      #expect((answer["error"] as? String)?.contains("Another store") == true, "\(answer)")
      change["store"] = nil
      _ = try bench.post("api/save", change, status: 400)
    }
    let names = BrowserBench.texts(
      try bench.ask("api/rows", ["entity": "Team", "columns": "name", "sort": "name"]))
    #expect(names == [["Compilers"], ["Engines"]])
    // A reader gets the identifier from the header.
    let answer = bench.browser.answer(bench.request("api/counts"))
    let now = try #require(answer.headers.first { $0.name == "Roost-Store" }?.value)
    #expect(now != shown)
    #expect(try bench.ask("api/store")["identifier"] as? String == now)
  }

  @Test("a request goes on in the store that it began in, which is closed with its last request")
  func users() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let other = try sample.makeStore(.sqlite, "other")
    let sessions = try BrowserSessions(
      StoreAddress(address), modelPath: sample.modelPath, isWritable: false)
    defer { sessions.close() }
    let old = try sessions.use { old in
      try replace(address, by: other)
      // Nested requests meanwhile.
      let identifier = try sessions.use { new in
        #expect(new.coordinator !== old.coordinator)
        return try sessions.use {
          #expect($0.coordinator === new.coordinator)
          return new.store.metadata.identifier
        }
      }
      #expect(identifier != old.store.metadata.identifier)
      #expect(old.coordinator.persistentStores.count == 1)
      _ = try StoreTransferRun.counts(old)
      return old
    }
    #expect(old.coordinator.persistentStores.isEmpty)
    let new = try sessions.use { new in
      sessions.close()
      #expect(new.coordinator.persistentStores.count == 1)
      return new
    }
    #expect(new.coordinator.persistentStores.isEmpty)
  }

  @Test("requests are cancelled when the program ends, and nothing is written then")
  func cancelling() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore(), isWritable: true)
    bench.browser.cancellation.cancel()
    _ = try bench.ask("api/rows", ["entity": "Team"], status: 503)
    _ = try bench.ask("api/count", ["entity": "Team"], status: 503)
    _ = try bench.save(
      ["operation": "insert", "entity": "Team", "values": ["name": "X"]], status: 503)
    let sessions = bench.browser.sessions
    #expect(try sessions.use { try StoreTransferRun.counts($0)["Team"] } == 2)
  }

  @Test("a save that is done is told as done, also when the record cannot be read then")
  func saved() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let text = try bench.id("Team", "Engines")
    try bench.browser.sessions.use { session in
      let node = RecordChange.saved(try session.record(text)) {
        throw PersistenceError(.storeBusy, "busy")
      }
      #expect(node == .object(["id": .text(text)]))
    }
  }

  @Test("numbers out of the range of their type are refused, and infinity is what it says")
  func numbers() {
    func value(_ text: String, _ type: AttributeType) -> Any? {
      try? TypedText.value(text, of: AttributeDescription(name: "number", type: type))
    }
    for text in ["1e400", "-1e400", "1e-400", "0x1p4000"] {
      #expect(value(text, .double) == nil, "\(text)")
    }
    for text in ["1e39", "-1e39", "1e-60"] {
      #expect(value(text, .float) == nil, "\(text)")
      #expect(value(text, .double) as? Double == Double(text), "\(text)")
    }
    for text in ["1e400", "1e200", "1e-400"] { #expect(value(text, .decimal) == nil, "\(text)") }
    #expect(value("inf", .double) as? Double == .infinity)
    #expect(value("-Infinity", .float) as? Float == -.infinity)
    #expect(value("0e400", .double) as? Double == 0)
    #expect(value("-0.00", .float) as? Float == 0)
    #expect(value("1.5", .decimal) as? Decimal == Decimal(string: "1.5"))
    #expect(value("0.0", .decimal) as? Decimal == 0)
    #expect(value("32768", .integer16) == nil)
  }
}
