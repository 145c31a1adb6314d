// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of removing or replacing the WAL and its index (`-shm`) while a store is open.
@Suite struct SideFileTests {
  private func path(_ office: Office, _ suffix: String = "") throws -> String {
    try #require(office.description.url).path + suffix
  }

  /// Returns the nicks in a copy of the files, as they would be found after the process was killed.
  private func nicksAfterKill(_ office: Office) throws -> [String] {
    let folder = office.folder.appending(path: "killed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      let file = try path(office, suffix)
      guard FileManager.default.fileExists(atPath: file) else { continue }
      try FileManager.default.copyItem(
        atPath: file, toPath: folder.appending(path: "office.sqlite" + suffix).path)
    }
    var description = office.description
    description.url = folder.appending(path: "office.sqlite")
    let store = try Office.open(description, office.names)
    defer { store.close() }
    guard case .rows(let rows) = try store.fetch(office.request(office.names.person)).content
    else { return [] }
    return rows.compactMap { $0.text("nick") }.sorted()
  }

  private func nicks(_ office: Office) throws -> [String] {
    try office.all(office.names.person).compactMap { $0.text("nick") }.sorted()
  }

  private func insert(_ office: Office, _ nick: String) throws {
    try office.insert(office.names.person, ["nick": .string(nick)])
  }

  @Test(
    "no acknowledged save is lost when the log or its index is removed while open (B169)",
    arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]], [false, true])
  func removed(suffixes: [String], readsBetween: Bool) throws {
    let office = try Office()
    for nick in ["a", "b", "c"] { try insert(office, nick) }
    for suffix in suffixes { try FileManager.default.removeItem(atPath: path(office, suffix)) }
    if readsBetween { #expect(try nicks(office) == ["a", "b", "c"]) }
    for nick in ["d", "e", "f"] { try insert(office, nick) }
    let all = ["a", "b", "c", "d", "e", "f"]
    #expect(try nicks(office) == all)
    #expect(try nicksAfterKill(office) == all)
    #expect(RawDatabase(URL(filePath: try path(office))).text("PRAGMA integrity_check") == "ok")
    try office.reopen()
    #expect(try nicks(office) == all)
  }

  @Test("a log is missed by a store that only read before, and before one more reader is opened")
  func removedBeforeFirstSave() throws {
    let office = try Office()
    try insert(office, "a")
    // The second store keeps the WAL in use, so that the first one finds records in it when it is reopened.
    let second = try office.second()
    try office.reopen()
    try insert(office, "b")
    try office.reopen()
    try FileManager.default.removeItem(atPath: path(office, "-wal"))
    #expect(try nicks(office) == ["a", "b"])
    try insert(office, "c")
    #expect(try nicks(office) == ["a", "b", "c"])
    #expect(try nicksAfterKill(office) == ["a", "b", "c"])
    let rows = try second.fetch(office.request(office.names.person))
    guard case .rows(let found) = rows.content else { return }
    #expect(found.count == 3)
    second.close()
  }

  @Test("a log that somebody else put in the place is not written, and nothing saved is lost")
  func replaced() throws {
    let office = try Office()
    try insert(office, "a")
    let log = try path(office, "-wal")
    try FileManager.default.copyItem(atPath: log, toPath: log + ".copy")
    try insert(office, "b")
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.moveItem(atPath: log + ".copy", toPath: log)
    let error = #expect(throws: PersistenceError.self) { try insert(office, "c") }
    #expect(error?.code == .persistentStoreOperation)
    #expect(error?.message.contains("-wal") == true)
  }

  @Test("a store in a moment of the past does not let the log be copied, and the save says so")
  func heldByMoment() throws {
    let office = try Office()
    try insert(office, "a")
    let moment = try #require(office.store.snapshots).takeSnapshot()
    try insert(office, "b")
    try FileManager.default.removeItem(atPath: path(office, "-wal"))
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) { try insert(office, "c") }
    moment.close()
    try insert(office, "c")
    #expect(try nicksAfterKill(office) == ["a", "b", "c"])
  }
}
