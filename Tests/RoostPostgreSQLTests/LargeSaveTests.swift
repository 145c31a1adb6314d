// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import RoostStore
import Synchronization
import Testing

@Suite("Saves of one record, of a few and of many", .enabled(if: Servers.isThere))
struct LargeSaveTests {
  private let notebook: Notebook

  init() throws {
    notebook = try Notebook()
  }

  /// Returns the statements that a save runs.
  private func statements(_ context: ManagedObjectContext) throws -> [String] {
    let texts = Mutex<[String]>([])
    notebook.log?.listen { line in texts.withLock { $0.append(line.text) } }
    defer { notebook.log?.listen(nil) }
    try context.save()
    return texts.withLock { $0 }
  }

  /// Returns a context with a number of saved notes, sorted by number.
  private func notes(_ count: Int) throws -> (ManagedObjectContext, [Note]) {
    let context = notebook.context()
    for number in 0..<count {
      let note = Note(context: context)
      note.code = "c\(number)"
      note.number = number
    }
    try context.save()
    let notes = try context.fetch(Note.fetchRequest().sorted(by: \.number))
    // A save compares with the values that were read.
    for note in notes { #expect(!note.code.isEmpty) }
    return (context, notes)
  }

  private func count(_ predicate: FetchPredicate? = nil) throws -> Int {
    let request = FetchRequest<Note>(entityName: "Note")
    request.predicate = predicate
    return try notebook.context().count(for: request)
  }

  @Test("ten thousand changes of one property are one statement, and none locks before it")
  func changes() throws {
    let (context, notes) = try notes(10_000)
    for note in notes { note.number = 7 }
    let texts = try statements(context)
    #expect(texts.count { $0.contains("UPDATE \"") && $0.contains(".\"Note\"") } == 1)
    #expect(texts.count <= 4, "\(texts)")
    #expect(!texts.contains { $0.contains("FOR UPDATE") })
    #expect(try count(FetchPredicate("number == 7")) == 10_000)
    try notebook.close()
  }

  @Test("ten thousand removed records are one statement, and none locks before it")
  func deletions() throws {
    let (context, notes) = try notes(10_000)
    for note in notes { context.delete(note) }
    let texts = try statements(context)
    #expect(texts.count { $0.contains("DELETE FROM \"") && $0.contains(".\"Note\"") } == 1)
    #expect(texts.count <= 4, "\(texts)")
    #expect(!texts.contains { $0.contains("FOR UPDATE") })
    #expect(try count() == 0)
    try notebook.close()
  }

  @Test("a few records are locked in order first, one record is not")
  func few() throws {
    let (context, notes) = try notes(3)
    notes[0].text = "changed"
    context.delete(notes[1])
    let locks = try statements(context).filter { $0.contains("FOR UPDATE") }
    #expect(locks.count == 1)
    notes[0].text = "again"
    #expect(try !statements(context).contains { $0.contains("FOR UPDATE") })
    context.delete(notes[2])
    #expect(try !statements(context).contains { $0.contains("FOR UPDATE") })
    #expect(try notebook.codes() == ["c0"])
    try notebook.close()
  }

  @Test(
    "one record among many that somebody else has changed is the conflict, and nothing is written (B174)",
    arguments: [1, 2, 400])
  func conflict(count: Int) throws {
    let (context, notes) = try notes(count)
    let other = notebook.context()
    let changed = try #require(
      try other.fetch(Note.fetchRequest().sorted(by: \.number)).last)
    changed.text = "theirs"
    try other.save()
    for note in notes { note.text = "mine" }
    try expectConflict(context, with: [changed.objectID])
    #expect(try self.count(FetchPredicate("text == 'mine'")) == 0)
    for note in notes { context.delete(note) }
    try expectConflict(context, with: [changed.objectID])
    #expect(try self.count() == count)
    try notebook.close()
  }

  @Test("records in many versions are removed together, each in its own")
  func versions() throws {
    let (context, notes) = try notes(300)
    for round in 1...20 {
      for note in notes[(round * 10)...] { note.number += 1 }
      try context.save()
    }
    for note in notes[..<290] { context.delete(note) }
    try context.save()
    #expect(try count() == 10)
    for note in notes[290...] { context.delete(note) }
    try context.save()
    #expect(try count() == 0)
    try notebook.close()
  }

  @Test("a record that is gone is a conflict for who changes it among many (B183)")
  func gone() throws {
    let (context, notes) = try notes(400)
    let other = notebook.context()
    let victim = try #require(try other.fetch(Note.where { $0.code == "c399" }).first)
    other.delete(victim)
    try other.save()
    for note in notes { note.text = "mine" }
    try expectConflict(context, with: [notes[399].objectID])
    #expect(try count(FetchPredicate("text == 'mine'")) == 0)
    try notebook.close()
  }

  private func expectConflict(
    _ context: ManagedObjectContext, with ids: [ObjectID]
  ) throws {
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .managedObjectMerge)
    #expect(error?.objectIDs == ids)
  }
}
