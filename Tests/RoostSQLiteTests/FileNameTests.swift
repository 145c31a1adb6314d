// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostSQLite

/// Tests of files with several names, and of files that are compacted or copied.
@Suite struct FileNameTests {
  private func nicks(_ store: any PersistentStore, _ office: Office) throws -> Int {
    guard case .rows(let rows) = try store.fetch(office.request(office.names.person)).content
    else { return -1 }
    return rows.count
  }

  @Test("the log is looked for beside the file itself, and not beside a link to it (F24)")
  func link() throws {
    let office = try Office()
    let path = try #require(office.description.url).path
    let link = office.folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: path))
    let location = try SQLiteLocation(link)
    #expect(location == (try SQLiteLocation(office.description.url)))
    #expect(location.hasLog)
    let folder = office.folder.appending(path: "other")
    try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: office.folder)
    #expect(try SQLiteLocation(folder.appending(path: "office.sqlite")) == location)
    // A link to a file that is to be made.
    let early = office.folder.appending(path: "early")
    try FileManager.default.createSymbolicLink(
      atPath: early.path, withDestinationPath: "late.sqlite")
    #expect(
      try SQLiteLocation(early).path
        == SQLiteLocation(office.folder.appending(path: "late.sqlite")).path)
  }

  @Test("a file with two names is refused: each name would have a log of its own (F24)")
  func hardLink() throws {
    let office = try Office()
    try office.insert(office.names.person)
    office.store.close()
    let path = try #require(office.description.url).path
    let second = office.folder.appending(path: "second").path
    try FileManager.default.linkItem(atPath: path, toPath: second)
    for name in [path, second] {
      var description = office.description
      description.url = URL(filePath: name)
      let error = #expect(throws: PersistenceError.self) {
        try Office.open(description, office.names)
      }
      #expect(error?.code == .persistentStoreOpen)
    }
    try FileManager.default.removeItem(atPath: second)
    try office.reopen()
    #expect(try nicks(office.store, office) == 1)
  }

  @Test("a file is compacted when its store is added, unless another program writes it")
  func compacted() throws {
    let office = try Office()
    let text = String(repeating: "x", count: 20_000)
    for _ in 0..<50 { try office.insert(office.names.person, ["nick": .string(text)]) }
    office.store.close()
    let url = try #require(office.description.url)
    let raw = RawDatabase(url)
    raw.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA secure_delete=OFF")
    var description = office.description
    try description.setOption(.boolean(true), forKey: StoreOption.sqliteManualVacuum)
    description.timeout = 0.2
    raw.run("CREATE TABLE filler (a); INSERT INTO filler SELECT zeroblob(3000000)")
    raw.run("DROP TABLE filler; PRAGMA wal_checkpoint(TRUNCATE)")
    func pages() -> Int { Int(RawDatabase(url).text("PRAGMA page_count") ?? "") ?? 0 }
    let before = pages()
    // Another connection writes: the store opens all the same.
    raw.run("BEGIN IMMEDIATE")
    let busy = try Office.open(description, office.names)
    busy.close()
    raw.run("ROLLBACK")
    let store = try Office.open(description, office.names)
    #expect(try nicks(store, office) == 50)
    store.close()
    #expect(pages() < before - 500)
  }
}
