// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestFolders
import Testing

@testable import RoostSQLite

#if os(Linux)
/// Tests of side files, and of read-only folders.
@Suite struct FolderTests {
  @Test("a store is destroyed with what lies beside it first, and its file last (B239)")
  func order() throws {
    let office = try Office()
    office.store.close()
    let path = try #require(office.description.url).path
    // A file without a WAL, and a rollback journal that is not hot: SQLite does not touch it.
    RawDatabase(URL(filePath: path)).run("PRAGMA journal_mode=DELETE")
    try Data(count: 512).write(to: URL(filePath: path + "-journal"))
    let watch = FolderWatch(office.folder)
    try office.description.type.driver.destroy(office.description)
    #expect(watch.changes() == ["office.sqlite-journal"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: office.folder.path) == ["office.sqlite"])
  }

  /// Returns the file operations of `body`.
  private func steps(_ body: () throws -> Void) rethrows -> [DurableFiles.Step] {
    let steps = SharedState<[DurableFiles.Step]>([])
    try DurableFiles.$recorder.withValue({ step in steps.withLock { $0.append(step) } }) {
      try body()
    }
    return steps.withLock { $0 }
  }

  @Test("what was destroyed is on the disk as such when the call returns (B367)")
  func durableDestruction() throws {
    let office = try Office()
    office.store.close()
    let steps = try steps { try office.description.type.driver.destroy(office.description) }
    #expect(
      steps == [.empty("office.sqlite"), .synchronizeFile("office.sqlite"), .synchronizeFolder])
  }

  @Test("a copy is on the disk with its name when the call returns (B367)")
  func durableReplacement() throws {
    let office = try Office()
    var other = office.description
    other.url = office.folder.appending(path: "other")
    for isNew in [true, false] {
      let steps = try steps { try other.type.driver.replace(other, with: office.description) }
      #expect(steps == (isNew ? [.make("other")] : []) + [.synchronizeFolder])
    }
  }

  @Test("a damaged store is destroyed (B341)")
  func damaged() throws {
    let office = try Office()
    try office.insert(office.names.person)
    office.store.close()
    let url = try #require(office.description.url)
    var bytes = try Data(contentsOf: url)
    // The header still identifies the file; the tables are overwritten.
    bytes.replaceSubrange(100..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - 100))
    try bytes.write(to: url)
    try office.description.type.driver.destroy(office.description)
    #expect(try Data(contentsOf: url).isEmpty)
    try office.reopen()
    #expect(try office.all(office.names.person).isEmpty)
  }

  @Test("nobody opens a file that is being destroyed: it stays locked until it is gone (B239)")
  func lockedWhileDestroyed() throws {
    let office = try Office()
    office.store.close()
    let url = try #require(office.description.url)
    // Another program that begins to use the file without a WAL.
    let other = RawDatabase(url)
    other.run("PRAGMA journal_mode=DELETE")
    #expect(other.run("BEGIN IMMEDIATE") == 0)
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try office.description.type.driver.destroy(office.description)
    }
    #expect(FileManager.default.fileExists(atPath: url.path))
    other.run("ROLLBACK")
    try office.description.type.driver.destroy(office.description)
    #expect(try Data(contentsOf: url).isEmpty)
  }

  /// Closes the store and opens it for reading in a folder where no WAL can be created, so without locks.
  private func reader(_ office: Office) throws -> SQLiteStore {
    office.store.close()
    let path = try #require(office.description.url).path
    for (file, mode) in [(office.folder.path, 0o755), (path, 0o644)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
    let store = try withoutRights(to: office.folder) { try office.second { $0.isReadOnly = true } }
    return try #require(store as? SQLiteStore)
  }

  @Test("no store is made in a folder in which nothing can be made, and the error says so (B322)")
  func makingWithoutRights() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: folder) }
    let description = PersistentStoreDescription.sqlite(at: folder.appending(path: "store"))
    try withoutRights(to: folder) {
      #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
        _ = try description.type.driver.open(description)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try description.type.driver.open(description).close()
  }

  @Test("a store is not opened for writing where nothing can be made, and stays as it is (B236)")
  func writingWithoutRights() throws {
    let office = try Office()
    let row = try office.insert(office.names.person)
    office.store.close()
    let path = try #require(office.description.url).path
    for (file, mode) in [(office.folder.path, 0o755), (path, 0o644)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let names = try FileManager.default.contentsOfDirectory(atPath: office.folder.path)
    try withoutRights(to: office.folder) {
      // It depends on the user whether the file or its folder is not writable.
      let error = #expect(throws: PersistenceError.self) { _ = try office.second() }
      #expect(error?.code == .readOnlyStore || error?.code == .persistentStoreOpen)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: office.folder.path) == names)
    try office.reopen()
    #expect(try office.all(office.names.person).map(\.key) == [row.key])
  }

  @Test("a file that could only be opened without locks is read anew after it was written (B236)")
  func readAnew() throws {
    let office = try Office()
    let first = try office.insert(office.names.person)
    let reader = try reader(office)
    #expect(try reader.rows(forKeys: [first.key]).count == 1)
    try office.reopen()
    let second = try office.insert(office.names.person)
    #expect(try reader.rows(forKeys: [first.key, second.key]).count == 2)
    reader.close()
  }

  @Test("what was read without locks while somebody wrote is not handed out")
  func writtenMeanwhile() throws {
    let office = try Office()
    try office.insert(office.names.person)
    let reader = try reader(office)
    let path = try #require(office.description.url).path
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try reader.pool.read { _ in
        // Only the modification time shows the change.
        let date = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      }
    }
    // The next request reads the new content.
    #expect(try reader.pool.read { !$0.isOutdated })
    reader.close()
  }
}
#endif

@Suite struct WriterTests {
  @Test("a connection that cannot become durable again writes no save")
  func durability() throws {
    let office = try Office()
    let pool = try #require(office.store as? SQLiteStore).pool
    try pool.write { connection in
      // In a transaction the durability of commits cannot be changed.
      try connection.withRelaxedDurability { try connection.run("BEGIN") }
    }
    try pool.write { connection in
      let level = try connection.number("PRAGMA synchronous")
      #expect(level == 2)
      #expect(!connection.isInTransaction)
    }
    try office.insert(office.names.person)
  }

  @Test("a connection is durable, and refuses what no store needs")
  func settings() throws {
    let office = try Office()
    let pool = try #require(office.store as? SQLiteStore).pool
    func refusal(_ sql: String, _ connection: SQLiteConnection) -> String? {
      do {
        try connection.execute(sql)
        return nil
      } catch {
        return (error as? SQLiteError)?.message ?? "\(error)"
      }
    }
    func check(_ connection: SQLiteConnection) throws {
      #expect(try connection.text("PRAGMA journal_mode") == "wal")
      #expect(try connection.number("PRAGMA trusted_schema") == 0)
      #expect(try connection.number("PRAGMA cell_size_check") == 1)
      // A string in double quotes is an identifier.
      #expect(refusal("SELECT \"nosuchcol\"", connection) == "no such column: nosuchcol")
      let attaching = try #require(refusal("ATTACH ':memory:' AS other", connection))
      #expect(attaching.contains("too many attached databases"), "\(attaching)")
      // A defensive connection ignores `writable_schema`.
      try connection.execute("PRAGMA writable_schema=ON")
      let writing = try #require(refusal("DELETE FROM sqlite_schema", connection))
      #expect(writing.contains("may not be modified"), "\(writing)")
    }
    try pool.write { connection in
      try check(connection)
      #expect(try connection.number("PRAGMA synchronous") == 2)
      #expect(refusal("CREATE INDEX odd ON sqlite_sequence(\"nosuchcol\")", connection) != nil)
    }
    try pool.read { connection in try check(connection) }
    try office.insert(office.names.person)
  }

  @Test(
    "a plan names indexes that have a name",
    arguments: [
      ("SEARCH t0 USING INDEX Person_by_age (age>?)", "Person_by_age"),
      ("SCAN t0 USING COVERING INDEX Person_by_age", "Person_by_age"),
      ("SEARCH b USING AUTOMATIC COVERING INDEX (b=?)", nil),
      ("SEARCH b USING AUTOMATIC PARTIAL COVERING INDEX (b=?)", nil),
      ("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)", nil), ("SCAN t0", nil),
    ])
  func indexes(_ step: String, _ name: String?) {
    #expect(SQLiteStore.index(in: step) == name)
  }
}
