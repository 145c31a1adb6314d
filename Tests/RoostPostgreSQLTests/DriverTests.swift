// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import RoostStore
import Testing

@Suite("Whole stores", .enabled(if: Servers.isThere))
struct DriverTests {
  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  private func schema(_ description: PersistentStoreDescription) throws -> String {
    String(try #require(description.url?.query()?.split(separator: "=").last))
  }

  @Test("two schemas of one database are two stores, side by side in one coordinator")
  func twoStores() throws {
    let first = try Servers.description()
    let notebook = try Notebook(first)
    // The policy permits a save that is not atomic across the stores.
    notebook.coordinator.crossStoreSaves = .atomicWherePossible
    let second = try notebook.coordinator.addPersistentStore(with: Servers.description())
    let context = notebook.context()
    let here = Note(context: context)
    here.code = "here"
    try context.assign(here, to: notebook.store)
    let there = Note(context: context)
    there.code = "there"
    try context.assign(there, to: second)
    try context.save()
    #expect(try notebook.codes() == ["here", "there"])
    try notebook.coordinator.remove(second)
    #expect(try notebook.codes() == ["here"])
    try notebook.close()
  }

  @Test("a store is destroyed with all its tables, and not while somebody has it open (B239)")
  func destroy() throws {
    let description = try Servers.description()
    let notebook = try Notebook(description)
    try notebook.write("a")
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try description.type.driver.destroy(description)
    }
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
    try description.type.driver.destroy(description)
    #expect(try description.type.driver.metadata(of: description) == nil)
    let left = try raw().rows(
      "SELECT nspname FROM pg_namespace WHERE nspname = '\(schema(description))'")
    #expect(left.isEmpty)
    try description.type.driver.destroy(description)
  }

  @Test("what somebody else keeps in the store's schema is left alone")
  func foreignTables() throws {
    let description = try Servers.description()
    try Notebook(description).close()
    let table = try "\"\(schema(description))\".theirs"
    try raw().run(["CREATE TABLE \(table) (x int)", "INSERT INTO \(table) VALUES (7)"])
    try description.type.driver.destroy(description)
    #expect(try raw().rows("SELECT x FROM \(table)") == ["7"])
    #expect(throws: PersistenceError(.persistentStoreTypeMismatch, "")) {
      _ = try Notebook(description)
    }
    #expect(throws: PersistenceError(.persistentStoreTypeMismatch, "")) {
      try description.type.driver.destroy(description)
    }
    #expect(try raw().rows("SELECT x FROM \(table)") == ["7"])
  }

  @Test(
    "a schema in which somebody else keeps anything stays, without the store (B239)",
    arguments: ["SEQUENCE %", "DOMAIN % AS integer", "TYPE % AS ENUM ('a')"])
  func foreignThings(_ thing: String) throws {
    let description = try Servers.description()
    try Notebook(description).close()
    let schema = try schema(description)
    try raw().run(["CREATE " + thing.replacing("%", with: "\"\(schema)\".theirs")])
    try description.type.driver.destroy(description)
    let place = "\"\(schema)\"._roost_metadata"
    #expect(try raw().rows("SELECT 1 WHERE to_regclass('\(place)') IS NOT NULL").isEmpty)
    #expect(try raw().rows("SELECT 1 FROM pg_namespace WHERE nspname = '\(schema)'") == ["1"])
  }

  @Test("a copy that fails leaves the store that it was to replace (B240)")
  func failedReplace() throws {
    let source = try Servers.description()
    let destination = try Servers.description()
    for (description, code) in [(source, "new"), (destination, "old")] {
      let notebook = try Notebook(description)
      try notebook.write(code)
      try notebook.close()
    }
    try raw().run(["DROP TABLE \"\(schema(source))\"._roost_indexes"])
    #expect(throws: PersistenceError.self) {
      try destination.type.driver.replace(destination, with: source)
    }
    let notebook = try Notebook(destination)
    #expect(try notebook.codes() == ["old"])
    try notebook.close()
  }

  @Test("a store of a newer format is refused, untouched")
  func newer() throws {
    let description = try Servers.description()
    try Notebook(description).close()
    let table = try "\"\(schema(description))\"._roost_metadata"
    try raw().run(["UPDATE \(table) SET format = 99"])
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) { _ = try Notebook(description) }
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try description.type.driver.destroy(description)
    }
    try raw().run(["UPDATE \(table) SET json = '{}', format = 1"])
    #expect(throws: PersistenceError(.corruptStore, "")) { _ = try Notebook(description) }
  }

  @Test("a store that is opened for reading refuses to be written, in the session too (B236)")
  func readOnly() throws {
    var description = try Servers.description()
    let writer = try Notebook(description)
    try writer.write("a")
    description.isReadOnly = true
    let reader = try Notebook(description)
    #expect(try reader.codes() == ["a"])
    #expect(throws: PersistenceError.self) { try reader.write("b") }
    try writer.write("c")
    #expect(try reader.codes() == ["a", "c"])
    try reader.close()
    try writer.close()
    description = try Servers.description()
    description.isReadOnly = true
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) { _ = try Notebook(description) }
  }

  @Test("a copy has all of a store and its identity, and goes on by itself (B240)")
  func replace() throws {
    let source = try Servers.description()
    let destination = try Servers.description()
    let notebook = try Notebook(source)
    try notebook.write("a", "b")
    let identifier = notebook.store.identifier
    try notebook.close()
    let old = try Notebook(destination)
    try old.write("old")
    try old.close()
    try destination.type.driver.replace(destination, with: source)
    let copy = try Notebook(destination)
    #expect(copy.store.identifier == identifier)
    #expect(try copy.codes() == ["a", "b"])
    try copy.write("c")
    #expect(throws: PersistenceError.self) { try copy.write("a") }
    #expect(try copy.codes() == ["a", "b", "c"])
    try copy.close()
    let original = try Notebook(source)
    #expect(try original.codes() == ["a", "b"])
    try original.close()
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try destination.type.driver.replace(destination, with: Servers.description())
    }
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
      try source.type.driver.replace(source, with: source)
    }
  }

  @Test("metadata is read and written while the store is closed (B245)")
  func metadata() throws {
    let description = try Servers.description()
    let driver = description.type.driver
    #expect(try driver.metadata(of: description) == nil)
    try Notebook(description).close()
    var metadata = try #require(try driver.metadata(of: description))
    metadata.userValues["lastImport"] = .integer(7)
    try driver.setMetadata(metadata, of: description)
    #expect(try driver.metadata(of: description) == metadata)
    metadata.entityCodes["Other"] = 3
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try driver.setMetadata(metadata, of: description)
    }
    #expect(try driver.metadata(of: description)?.entityCodes.count == 1)
  }

  @Test("many open one new store at once: it is made once")
  func race() throws {
    let description = try Servers.description()
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      do {
        let notebook = try Notebook(description)
        try notebook.write("n\(number)")
        try notebook.close()
      } catch {
        Issue.record("\(error)")
      }
    }
    let notebook = try Notebook(description)
    #expect(try notebook.codes() == (0..<6).map { "n\($0)" })
    try notebook.close()
  }
}
