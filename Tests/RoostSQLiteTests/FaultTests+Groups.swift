// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostSQLite

// Tests of group commits on a failing disk, and of other requests while the disk is slow.
extension FaultTests {
  /// Returns five saves that insert one person each.
  private func sets(_ office: Office) throws -> [StoreChangeSet] {
    try (0..<5).map { number in
      StoreChangeSet(inserted: [
        try office.row(office.names.person, ["nick": .string("\(number)")])
      ])
    }
  }

  private func nicks(_ office: Office) throws -> [String] {
    try office.all(office.names.person).compactMap { $0.text("nick") }.sorted()
  }

  @Test("when the flush of a group fails every member is told, and nothing of it is there (F15)")
  func failedFlush() throws {
    let office = try Office(onFaultyDisk: true)
    try office.insert(office.names.person, ["nick": .string("old")])
    let sets = try sets(office)
    var ends: [Result<CommitOutcome, any Error>] = []
    let failures = try FaultyDisk.failing(
      .init(call: 1, code: SQLITE_IOERR | 4 << 8, kinds: [.sync])
    ) {
      ends = try SavesTogether.commit(sets, in: office).ends
    }
    #expect(failures == 1)
    let unknown = "\(PersistenceError.Code.commitOutcomeUnknown.rawValue)"
    #expect(ends.map(SavesTogether.kind) == [String](repeating: unknown, count: 5))
    #expect(try nicks(office) == ["old"], "the store is as before")
    try office.reopen()
    #expect(try nicks(office) == ["old"], "nor is anything there when it is opened again")
    for changes in sets {
      guard case .committed = try office.store.commit(changes) else {
        Issue.record("What nobody has is no conflict.")
        return
      }
    }
    #expect(try nicks(office) == ["0", "1", "2", "3", "4", "old"])
  }

  @Test(
    "a group for which there is no room is told so, each member by itself, and none is there (F15)")
  func fullDisk() throws {
    let office = try Office(onFaultyDisk: true)
    try office.insert(office.names.person, ["nick": .string("old")])
    let sets = try sets(office)
    var ends: [Result<CommitOutcome, any Error>] = []
    _ = try FaultyDisk.failing(
      .init(call: 1, code: SQLITE_FULL, isSticky: true, kinds: [.write])
    ) {
      ends = try SavesTogether.commit(sets, in: office).ends
    }
    let full = "\(PersistenceError.Code.storeFull.rawValue)"
    #expect(ends.map(SavesTogether.kind) == [String](repeating: full, count: 5))
    try office.reopen()
    #expect(try nicks(office) == ["old"])
  }

  @Test(
    "a group that fails once for all is written member by member, and none sees the failure (F15)")
  func briefFailure() throws {
    let office = try Office(onFaultyDisk: true)
    let sets = try sets(office)
    var ends: [Result<CommitOutcome, any Error>] = []
    let failures = try FaultyDisk.failing(.init(call: 1, code: SQLITE_FULL, kinds: [.write])) {
      ends = try SavesTogether.commit(sets, in: office).ends
    }
    #expect(failures == 1)
    #expect(ends.map(SavesTogether.kind) == [String](repeating: "committed", count: 5))
    try office.reopen()
    #expect(try nicks(office) == ["0", "1", "2", "3", "4"])
  }

  @Test("while a connection is opened others read, and give theirs back (F15)")
  func slowOpening() throws {
    let office = try Office(onFaultyDisk: true)
    try office.insert(office.names.person, ["nick": .string("a")])
    let pool = try #require(office.store as? SQLiteStore).pool
    let (isOpening, mayOpen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let wasHeldUp = Mutex(false)
    let group = DispatchGroup()
    try pool.read { _ in
      FaultyDisk.interruptOpening {
        isOpening.signal()
        let end = mayOpen.wait(timeout: .now() + 20)
        wasHeldUp.withLock { $0 = end == .timedOut }
      }
      group.enter()
      Thread.detachNewThread {
        // The only connection is busy, so another one is opened.
        _ = try? pool.read { try $0.number("SELECT 1") }
        group.leave()
      }
      isOpening.wait()
    }
    // The connection that was given back serves the next reader, and the one that writes goes on.
    #expect(try nicks(office) == ["a"])
    try office.insert(office.names.person, ["nick": .string("b")])
    mayOpen.signal()
    group.wait()
    #expect(!wasHeldUp.withLock { $0 }, "reading and writing waited for a file to be opened")
    #expect(try nicks(office) == ["a", "b"])
  }
}
