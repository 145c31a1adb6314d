// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQLite
import RoostStore
import Testing

/// Tests of two-phase commit in SQLite stores.
@Suite struct PreparationTests {
  private let office: Office
  private let ticket = SaveTicket(
    coordinator: UUID(), decider: .init(identifier: "D", name: "db"), participants: ["P"],
    startedAt: Date.now.timeIntervalSinceReferenceDate)

  init() throws {
    office = try Office()
  }

  private var preparation: any StorePreparation {
    get throws { try #require(office.store.preparation) }
  }

  private func raw(_ sql: String) -> String? {
    RawDatabase(office.folder.appending(path: "office.sqlite")).text(sql)
  }

  private func prepare(_ changes: StoreChangeSet) throws {
    guard case .prepared = try preparation.prepare(changes, for: ticket) else {
      Issue.record("The part was to be prepared.")
      return
    }
  }

  @Test("a file keeps its format until it first takes part, and a part shows nothing (X3, X10)")
  func format() throws {
    try office.insert(office.names.person, ["nick": .string("ada")])
    #expect(try preparation.pending().isEmpty && preparation.decisions().isEmpty)
    try preparation.unregister(UUID())
    #expect(raw("PRAGMA user_version") == "1")
    #expect(raw("SELECT count(*) FROM sqlite_schema WHERE name LIKE '_roost_prepared'") == "0")
    let other = try office.second()
    let row = try office.row(office.names.person, ["nick": .string("bob")])
    try prepare(StoreChangeSet(inserted: [row]))
    #expect(raw("PRAGMA user_version") == "2")
    #expect(raw("SELECT count(*) FROM _roost_prepared") == "1")
    #expect(try office.all(office.names.person).count == 1)
    // The store that had the file open before continues, and sees the prepared part.
    guard
      case .committed = try other.commit(
        StoreChangeSet(inserted: [try office.row(office.names.person)]))
    else {
      Issue.record("Another record is written.")
      return
    }
    #expect(try other.preparation?.pending().map(\.ticket) == [ticket])
    other.close()
    #expect(try preparation.finish(ticket.id, committing: true) != nil)
    #expect(try preparation.finish(ticket.id, committing: true) == nil)
    #expect(raw("SELECT count(*) FROM _roost_prepared") == "0")
    #expect(try office.all(office.names.person).count == 3)
    try office.reopen()
    #expect(try office.all(office.names.person).count == 3)
  }

  @Test("a store in memory keeps no parts: others do not rely on it (X1, X13)")
  func inMemory() throws {
    let memory = try Office(inMemory: true)
    #expect((memory.store as? SQLiteStore)?.keepsParts == false)
    #expect((office.store as? SQLiteStore)?.keepsParts == true)
  }

  @Test("nobody writes what a part writes, or a unique value that it takes (X7)")
  func overlap() throws {
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada"), "email": .string("a")])
    let bob = try office.insert(person, ["nick": .string("bob"), "email": .string("b")])
    let new = try office.row(person, ["email": .string("new")])
    try prepare(
      StoreChangeSet(inserted: [new], updated: [office.update(ada, ["nick": .string("one")])]))
    let taken = try office.row(person, ["email": .string("new")])
    let writes = [
      StoreChangeSet(updated: [office.update(ada, ["nick": .string("two")])]),
      StoreChangeSet(deleted: [RowVersion(key: ada.key, version: 1)]),
      StoreChangeSet(locked: [RowVersion(key: ada.key, version: 1)]),
      StoreChangeSet(inserted: [taken]),
      StoreChangeSet(updated: [office.update(bob, ["email": .string("new")])]),
    ]
    for (number, changes) in writes.enumerated() {
      let error = #expect(throws: PersistenceError.self, "write \(number)") {
        try office.store.commit(changes)
      }
      #expect(error?.code == .saveInDoubt, "write \(number)")
      let second = #expect(throws: PersistenceError.self, "part \(number)") {
        _ = try preparation.prepare(
          changes,
          for: SaveTicket(
            coordinator: UUID(), decider: ticket.decider, participants: ["P"], startedAt: 0))
      }
      #expect(second?.code == .saveInDoubt, "part \(number)")
    }
    guard
      case .committed = try office.store.commit(
        StoreChangeSet(updated: [office.update(bob, ["nick": .string("free")])]))
    else {
      Issue.record("Another record is written.")
      return
    }
    #expect(try preparation.finish(ticket.id, committing: true) != nil)
    #expect(
      Set(try office.all(person).map { $0.text("email") }) == ["a", "b", "new"])
  }

  @Test("the pages of records that a part only tries to write are not logged (X10)")
  func loggedPages() throws {
    let person = office.names.person
    let rows = try (0..<400).map {
      try office.row(person, ["nick": .string("n\($0)"), "email": .string("e\($0)")])
    }
    _ = try office.store.commit(StoreChangeSet(inserted: rows))
    // One row of every tenth: almost all pages of the table and its indexes.
    let updates = stride(from: 0, to: 400, by: 10).map {
      office.update(rows[$0], ["nick": .string("changed \($0)")])
    }
    let log = office.folder.appending(path: "office.sqlite-wal")
    func size() throws -> Int { try log.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    _ = try preparation.register(UUID())
    let before = try size()
    try prepare(StoreChangeSet(updated: updates))
    var now = log
    now.removeAllCachedResourceValues()
    let after = try now.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    let part =
      Int(raw("SELECT sum(length(changes) + length(part)) FROM _roost_prepared") ?? "") ?? 0
    #expect(after > before && after - before < part + 6 * 4_120, "\(after - before), \(part)")
    #expect(try preparation.finish(ticket.id, committing: true) != nil)
    #expect(
      try office.all(person).filter { $0.text("nick")?.hasPrefix("changed") == true }.count == 40)
  }

  @Test("that a part is gone is told when it is on the disk, whoever has finished it (X3, X30)")
  func durablyGone() throws {
    try prepare(StoreChangeSet(inserted: [try office.row(office.names.person)]))
    #expect(try preparation.finish(ticket.id, committing: true) != nil)
    for committing in [true, false] {
      let steps = SharedState<[DurableFiles.Step]>([])
      let receipt = try DurableFiles.$recorder.withValue({ step in
        steps.withLock { $0.append(step) }
      }) { try preparation.finish(ticket.id, committing: committing) }
      #expect(receipt == nil)
      #expect(steps.withLock { $0 } == [.synchronizeFile("office.sqlite-wal"), .synchronizeFolder])
    }
  }

  @Test("a part is tried again when another connection writes meanwhile (X10)")
  func triedAgain() async throws {
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada")])
    let other = try office.second()
    let rows = try (0..<150).map { try office.row(person, ["nick": .string("other \($0)")]) }
    let writer = Task.detached {
      for row in rows { _ = try other.commit(StoreChangeSet(inserted: [row])) }
      other.close()
    }
    for _ in 0..<60 {
      try prepare(
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("tried")])]))
      #expect(try preparation.finish(ticket.id, committing: false) == nil)
    }
    try await writer.value
    #expect(try office.all(person).filter { $0.text("nick") == "ada" }.count == 1)
    #expect(try office.all(person).count == 151)
  }

  @Test("of saves that are written together only the one in the way of a part is refused (X7)")
  func groups() throws {
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada")])
    try prepare(StoreChangeSet(updated: [office.update(ada, ["nick": .string("one")])]))
    let (ends, _) = try SavesTogether.commit(
      [
        StoreChangeSet(inserted: [try office.row(person)]),
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("two")])]),
        StoreChangeSet(inserted: [try office.row(person)]),
      ], in: office)
    #expect(SavesTogether.kind(ends[0]) == "committed")
    #expect(SavesTogether.kind(ends[2]) == "committed")
    let error = #expect(throws: PersistenceError.self) { try ends[1].get() }
    #expect(error?.code == .saveInDoubt)
  }

  @Test("a part that was damaged in the file is refused as a whole, and can be given up (X14)")
  func damage() throws {
    try prepare(StoreChangeSet(inserted: [try office.row(office.names.person)]))
    let file = RawDatabase(office.folder.appending(path: "office.sqlite"))
    file.run("UPDATE _roost_prepared SET changes = zeroblob(length(changes))")
    let error = #expect(throws: PersistenceError.self) {
      _ = try preparation.finish(ticket.id, committing: true)
    }
    #expect(error?.code == .corruptStore)
    #expect(try office.all(office.names.person).isEmpty)
    #expect(try preparation.pending().count == 1)
    #expect(try preparation.finish(ticket.id, committing: false) == nil)
    #expect(try preparation.pending().isEmpty)
  }

  @Test("a part that another program has overtaken is reported, and not written in part (X7)")
  func overtaken() throws {
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada")])
    try prepare(
      StoreChangeSet(
        inserted: [try office.row(person)],
        updated: [office.update(ada, ["nick": .string("one")])]))
    let file = RawDatabase(office.folder.appending(path: "office.sqlite"))
    let table = try #require(
      file.text("SELECT name FROM sqlite_schema WHERE sql LIKE '%nick%' AND type = 'table'"))
    file.run("UPDATE \"\(table)\" SET _version = _version + 1")
    let error = #expect(throws: PersistenceError.self) {
      _ = try preparation.finish(ticket.id, committing: true)
    }
    #expect(error?.code == .corruptStore)
    #expect(try office.all(person).count == 1)
  }
}
