// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQLite
import RoostStore
import Testing

@Suite struct DriverTests {
  private let driver = PersistentStoreType.sqlite.driver

  @Test("metadata is read and written without opening the store for use (B245)")
  func metadata() throws {
    let office = try Office()
    let identifier = office.store.metadata.identifier
    office.store.close()
    var metadata = try #require(try driver.metadata(of: office.description))
    #expect(metadata.identifier == identifier)
    metadata.userValues["note"] = .string("é'\"")
    try driver.setMetadata(metadata, of: office.description)
    try office.reopen()
    #expect(office.store.metadata.userValues["note"] == .string("é'\""))
    var none = office.description
    none.url = office.folder.appending(path: "none")
    #expect(try driver.metadata(of: none) == nil)
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try driver.setMetadata(metadata, of: none)
    }
    metadata.entityCodes["Person"] = 77
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try driver.setMetadata(metadata, of: office.description)
    }
    #expect(!FileManager.default.fileExists(atPath: none.url?.path ?? ""))
  }

  @Test("metadata that changes with a save is written with it, or not at all (B244)")
  func metadataWithCommit() throws {
    let office = try Office()
    var metadata = office.store.metadata
    metadata.userValues["count"] = .integer(1)
    _ = try office.store.commit(StoreChangeSet(metadata: metadata))
    #expect(office.store.metadata == metadata)
    let stale = RowVersion(key: 4097, version: 1)
    metadata.userValues["count"] = .integer(2)
    _ = try office.store.commit(StoreChangeSet(deleted: [stale], metadata: metadata))
    #expect(office.store.metadata.userValues["count"] == .integer(1))
    try office.reopen()
    #expect(office.store.metadata.userValues["count"] == .integer(1))
  }

  @Test("a store is destroyed with its side files, but not while it is open (B239)")
  func destroy() throws {
    let office = try Office()
    try office.insert(office.names.person)
    #expect(throws: PersistenceError(.storeBusy, "")) { try driver.destroy(office.description) }
    #expect(try office.all(office.names.person).count == 1)
    office.store.close()
    try driver.destroy(office.description)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: office.folder.path) == ["office.sqlite"])
    #expect(try Data(contentsOf: #require(office.description.url)).isEmpty)
    try driver.destroy(office.description)
    #expect(try driver.metadata(of: office.description) == nil)
  }

  @Test("another program's lock keeps a store from being destroyed, unless it is forced (B239)")
  func lockedDestroy() throws {
    let office = try Office()
    office.store.close()
    let url = try #require(office.description.url)
    let other = RawDatabase(url)
    other.run("BEGIN; SELECT * FROM Person")
    #expect(throws: PersistenceError(.storeBusy, "")) { try driver.destroy(office.description) }
    #expect(FileManager.default.fileExists(atPath: url.path))
    var forced = office.description
    forced.options[StoreOption.forceDestroy] = .boolean(true)
    try driver.destroy(forced)
    // The other program keeps its open file; the file at the path is a new one.
    #expect(try Data(contentsOf: url).isEmpty)
    #expect(other.text("SELECT count(*) FROM Person") == "0")
    other.run("COMMIT")
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test("a store is copied over another one, or to where there is none (B240)")
  func replace() throws {
    let source = try Office()
    let target = try Office()
    try source.insert(source.names.person, ["nick": .string("new")])
    try target.insert(target.names.person, ["nick": .string("old")])
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try driver.replace(target.description, with: source.description)
    }
    target.store.close()
    try driver.replace(target.description, with: source.description)
    try target.reopen()
    #expect(try target.all(target.names.person).map { $0.text("nick") } == ["new"])
    #expect(target.store.metadata.identifier == source.store.metadata.identifier)
    var fresh = target.description
    fresh.url = target.folder.appending(path: "fresh")
    try driver.replace(fresh, with: source.description)
    #expect(try driver.metadata(of: fresh)?.identifier == source.store.metadata.identifier)
    var none = fresh
    none.url = target.folder.appending(path: "none")
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try driver.replace(fresh, with: none)
    }
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
      try driver.replace(fresh, with: fresh)
    }
  }

  @Test("a store that is in use is replaced where that is forced, without a wait (B240)")
  func forcedReplacement() throws {
    let source = try Office()
    let target = try Office()
    try source.insert(source.names.person, ["nick": .string("new")])
    var forced = target.description
    forced.options[StoreOption.forceDestroy] = .boolean(true)
    // A lock of the replacement itself would end the shorter time in vain, too.
    forced.timeout = 1
    try driver.replace(forced, with: source.description)
    target.store.close()
    try target.reopen()
    #expect(try target.all(target.names.person).map { $0.text("nick") } == ["new"])
  }

  @Test("a watched store is replaced only where it was not written, and is left unlocked (M34)")
  func watchedReplacement() throws {
    let source = try Office()
    let target = try Office()
    try source.insert(source.names.person, ["nick": .string("new")])
    try target.insert(target.names.person, ["nick": .string("old")])
    target.store.close()
    let driver = try #require(driver as? any ReplacementDriver)
    var watched = try driver.beginReplacement(of: target.description)
    var other: RawDatabase? = RawDatabase(try #require(target.description.url))
    other?.run("SELECT count(*) FROM Person")
    // Another program has the file open: nothing is replaced, and the other one can go on writing.
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try watched?.replace(with: source.description)
    }
    other?.run("UPDATE Person SET nick = 'other'")
    other = nil
    #expect(try watched?.replace(with: source.description) == false)
    // It has the file open, too.
    watched = nil
    watched = try driver.beginReplacement(of: target.description)
    #expect(try watched?.replace(with: source.description) == true)
    watched = nil
    try target.reopen()
    #expect(try target.all(target.names.person).map { $0.text("nick") } == ["new"])
  }
}
