// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@Suite(.serialized) struct FaultTests {
  init() {
    FaultyDisk.install()
  }

  /// Returns a save of this suite: records of several tables, a link, metadata.
  private func script(_ office: Office, _ number: Int, changing old: [Row]) throws
    -> StoreChangeSet
  {
    let names = office.names
    let text = Value.string("\(number)")
    let people = try (0..<20).map { _ in
      try office.row(names.person, ["nick": text, "photo": .data(Data(count: 2_000))])
    }
    var metadata = office.store.metadata
    metadata.userValues["number"] = .integer(Int64(number))
    return StoreChangeSet(
      inserted: people + [try office.row(names.tag, ["name": text])],
      updated: old.map { office.update($0, ["nick": text]) }, metadata: metadata)
  }

  /// Checks that the store contains one complete save, and returns its number.
  private func number(_ office: Office) throws -> Int {
    let people = try office.all(office.names.person)
    let tags = try office.all(office.names.tag)
    let numbers = Set(people.suffix(20).compactMap { $0.text("nick") })
    #expect(numbers.count <= 1)
    #expect(tags.last?.text("name") == numbers.first)
    let number = numbers.first.flatMap(Int.init) ?? 0
    #expect(people.count == number * 20)
    #expect(people.prefix(5).allSatisfy { $0.text("nick") == numbers.first })
    if number > 0 {
      #expect(try metadataNumber(office) == .integer(Int64(number)))
    }
    return number
  }

  private func metadataNumber(_ office: Office) throws -> MetadataValue? {
    let driver = office.description.type.driver
    return try driver.metadata(of: office.description)?.userValues["number"]
  }

  @Test(
    "a commit that fails at any point is there as a whole or not at all", arguments: [false, true])
  func everyPoint(isSticky: Bool) throws {
    var outcomes: Set<PersistenceError.Code> = []
    for call in 1...60 {
      let office = try Office(onFaultyDisk: true)
      _ = try office.store.commit(try script(office, 1, changing: []))
      let old = Array(try office.all(office.names.person).prefix(5))
      let changes = try script(office, 2, changing: old)
      var result: PersistenceError.Code?
      let code = call.isMultiple(of: 2) ? SQLITE_IOERR : SQLITE_FULL
      let failures = FaultyDisk.failing(.init(call: call, code: code, isSticky: isSticky)) {
        do {
          let outcome = try office.store.commit(changes)
          guard case .committed = outcome else {
            Issue.record("\(outcome)")
            return
          }
        } catch let error as PersistenceError {
          result = error.code
        } catch {
          Issue.record("\(error)")
        }
      }
      let now = try number(office)
      switch result {
      case nil: #expect(now == 2, "call \(call)")
      case .commitOutcomeUnknown?: break
      default: #expect(now == 1, "call \(call)")
      }
      try office.reopen()
      #expect(try number(office) == now, "call \(call)")
      let last = Array(try office.all(office.names.person).prefix(5))
      _ = try office.store.commit(try script(office, now + 1, changing: last))
      #expect(try number(office) == now + 1)
      if let result { outcomes.insert(result) }
      if failures == 0 { break }
    }
    #expect(outcomes.contains(.commitOutcomeUnknown))
    #expect(outcomes.contains(.storeFull))
    #expect(outcomes.isSubset(of: [.commitOutcomeUnknown, .storeFull, .persistentStoreOperation]))
  }

  @Test("after a failed synchronisation nobody claims to know, and reading tells the truth")
  func unknownOutcome() throws {
    let office = try Office(onFaultyDisk: true)
    _ = try office.store.commit(try script(office, 1, changing: []))
    let changes = try script(office, 2, changing: [])
    let code = SQLITE_IOERR | 4 << 8
    _ = FaultyDisk.failing(.init(call: 1, code: code, kinds: [.sync])) {
      #expect(throws: PersistenceError(.commitOutcomeUnknown, "")) {
        try office.store.commit(changes)
      }
    }
    let seen = try office.all(office.names.tag).count
    try office.reopen()
    #expect(try office.all(office.names.tag).count == seen)
  }

  @Test(
    "after lock calls have failed, the store is as good as before (reliability 9, hazard 39)",
    arguments: [FaultyDisk.Kind.lock, .unlock], [false, true])
  func failedLocks(kind: FaultyDisk.Kind, hasSecond: Bool) throws {
    for call in 1...8 {
      try FaultyDisk.withShortPauses {
        try failLock(call, kind: kind, hasSecond: hasSecond)
      }
    }
  }

  private func failLock(_ call: Int, kind: FaultyDisk.Kind, hasSecond: Bool) throws {
    let office = try Office(onFaultyDisk: true)
    try office.insert(office.names.person, ["nick": .string("a")])
    // Another store of the process on the same file shares SQLite's locks with the first one.
    let second = hasSecond ? try office.second { $0.timeout = 0.1 } : nil
    let store = try office.second { $0.timeout = 0.1 }
    let people = office.request(office.names.person, result: .count)
    _ = try store.fetch(people)
    let rows = try (0..<12).map { _ in try office.row(office.names.tag) }
    let code = SQLITE_IOERR | (kind == .lock ? 20 : 8) << 8
    let fault = FaultyDisk.Fault(call: call, code: code, count: 3, kinds: [kind])
    var pending = rows
    _ = FaultyDisk.failing(fault) {
      for _ in 0..<4 {
        _ = try? store.commit(StoreChangeSet(inserted: [pending.removeLast()]))
        _ = try? store.fetch(people)
      }
    }
    // One more save may see the effects of the last failure.
    _ = try? store.commit(StoreChangeSet(inserted: [pending.removeLast()]))
    for store in [store, office.store, second].compactMap(\.self) {
      _ = try? store.fetch(people)
      _ = try store.fetch(people)
      guard case .committed = try store.commit(StoreChangeSet(inserted: [pending.removeLast()]))
      else {
        Issue.record("refused after call \(call)")
        continue
      }
    }
    store.close()
    second?.close()
    try office.reopen()
    #expect(try office.all(office.names.tag).count >= (hasSecond ? 3 : 2))
  }

  @Test("a full store says so, keeps what it has, and goes on when there is room again")
  func full() throws {
    let office = try Office(onFaultyDisk: true)
    let people = { (count: Int) in
      try (0..<count).map { _ in
        try office.row(office.names.person, ["photo": .data(Data(count: 3_000))])
      }
    }
    try office.insert(try people(10))
    let more = try people(50)
    let fault = FaultyDisk.Fault(call: 3, code: SQLITE_FULL, isSticky: true, kinds: [.write])
    _ = FaultyDisk.failing(fault) {
      #expect(throws: PersistenceError(.storeFull, "")) { try office.insert(more) }
      #expect(throws: PersistenceError(.storeFull, "")) { try office.insert(more) }
    }
    #expect(try office.all(office.names.person).count == 10)
    try office.insert(more)
    #expect(try office.all(office.names.person).count == 60)
  }
}
