// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Testing

@Suite("What a server refuses", .enabled(if: Servers.isThere))
struct TroubleTests {
  private func table(_ notebook: Notebook) throws -> String {
    let schema = try #require(notebook.store.url?.query()?.split(separator: "=").last)
    return "\"\(schema)\".\"Note\""
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  /// Makes the server refuse every insertion with an SQLSTATE.
  private func refuse(_ state: String, _ table: String) throws {
    let function = table.replacing(".\"Note\"", with: ".trouble")
    try raw().run([
      "CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS "
        + "$$BEGIN RAISE EXCEPTION 'canary-4711' USING ERRCODE = '\(state)'; END$$",
      "CREATE TRIGGER trouble BEFORE INSERT ON \(table) EXECUTE FUNCTION \(function)()",
    ])
  }

  @Test(
    "a disk or memory that is full refuses a save as a whole, and it goes on when there is room (reliability 3.6)",
    arguments: ["53100", "53200"])
  func full(_ state: String) throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let table = try table(notebook)
    try refuse(state, table)
    let context = notebook.context()
    try context.fetch(Note.fetchRequest()).first?.text = "changed"
    for code in ["b", "c"] { Note(context: context).code = code }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .storeFull)
    #expect(error.map { "\($0)" }?.contains("canary") == false)
    #expect(context.insertedObjects.count == 2 && context.updatedObjects.count == 1)
    #expect(try notebook.codes() == ["a"])
    try raw().run(["DROP TRIGGER trouble ON \(table)"])
    try context.save()
    #expect(try notebook.codes() == ["a", "b", "c"])
    try notebook.close()
  }

  @Test(
    "whatever else the server says is a typed error without a value in it, and loses nothing",
    arguments: ["42501", "XX001", "XX000", "57014", "23514", "P0001", "58030", "25006"])
  func refused(_ state: String) throws {
    let notebook = try Notebook()
    let table = try table(notebook)
    try refuse(state, table)
    let context = notebook.context()
    for code in ["b", "c"] { Note(context: context).code = code }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    // Only messages about the server itself are repeated: internal errors, and files that it cannot read.
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("canary") == ["XX000", "58030"].contains(state), "\(text)")
    #expect(context.insertedObjects.count == 2)
    try raw().run(["DROP TRIGGER trouble ON \(table)"])
    #expect(try notebook.codes() == [])
    try context.save()
    #expect(try notebook.codes() == ["b", "c"])
    try notebook.close()
  }

  @Test("a table that is locked by somebody is waited for until the deadline, and no longer")
  func locked() throws {
    var description = try Servers.description()
    description.timeout = 8
    let notebook = try Notebook(description)
    try notebook.write("a")
    let other = try raw()
    try other.run(["BEGIN", "LOCK TABLE \(table(notebook)) IN ACCESS EXCLUSIVE MODE"])
    let context = notebook.context()
    Note(context: context).code = "b"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect([.persistentStoreTimeout, .storeBusy].contains(error?.code), "\(error as Any)")
    #expect(context.hasChanges)
    try other.run(["COMMIT"])
    #expect(try notebook.codes() == ["a"])
    try context.save()
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test("a table that is gone, and one that is another, are errors when they are used and opened")
  func goneTable() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let table = try table(notebook)
    try raw().run(["ALTER TABLE \(table) RENAME TO theirs"])
    #expect(throws: PersistenceError(.corruptStore, "")) { try notebook.codes() }
    let context = notebook.context()
    Note(context: context).code = "b"
    #expect(throws: PersistenceError(.corruptStore, "")) { try context.save() }
    #expect(context.hasChanges)
    let description = notebook.store.description
    let other = table.replacing("Note", with: "theirs")
    try raw().run(["ALTER TABLE \(other) RENAME TO \"Note\""])
    try context.save()
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
    try raw().run(["ALTER TABLE \(table) RENAME COLUMN text TO other_text"])
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) {
      _ = try Notebook(description)
    }
    try raw().run(["ALTER TABLE \(table) RENAME COLUMN other_text TO text"])
    let again = try Notebook(description)
    #expect(try again.codes() == ["a", "b"])
    try again.close()
  }
}
