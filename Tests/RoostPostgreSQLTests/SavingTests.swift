// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostPostgreSQL
import RoostStore
import Synchronization
import Testing

@Suite("Saving and fetching", .enabled(if: Servers.isThere))
struct SavingTests {
  /// The statements that `body` runs.
  private func statements(_ notebook: Notebook, _ body: () throws -> Void) rethrows -> [String] {
    let texts = Mutex<[String]>([])
    notebook.log?.listen { line in texts.withLock { $0.append(line.text) } }
    try body()
    notebook.log?.listen(nil)
    return texts.withLock { $0 }
  }

  @Test("many new records are copied, and come back as they were")
  func copied() throws {
    let notebook = try Notebook()
    let count = 5_000
    let context = notebook.context()
    for number in 0..<count {
      let note = Note(context: context)
      note.code = "c\(number)"
      note.text = String(repeating: "ü", count: number % 100)
      note.number = number
    }
    let texts = try statements(notebook) { try context.save() }
    #expect(texts.count { $0.hasPrefix("COPY ") } == 1)
    #expect(!texts.contains { $0.hasPrefix("INSERT INTO") && $0.contains(".\"Note\"") })
    let reader = notebook.context()
    let notes = try reader.fetch(Note.fetchRequest().sorted(by: \.number))
    #expect(notes.map(\.number) == Array(0..<count))
    #expect(notes.allSatisfy { $0.text.unicodeScalars.count == $0.number % 100 })
    try notebook.close()
  }

  @Test("a copy with a value that is taken is a conflict, and nothing of it is written")
  func copiedConflict() throws {
    let notebook = try Notebook()
    try notebook.write("c77")
    let context = notebook.context()
    for number in 0..<200 { Note(context: context).code = "c\(number)" }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .managedObjectConstraintMerge)
    #expect(try notebook.codes() == ["c77"])
    try notebook.close()
  }

  @Test("the rows of many records, and the objects of many, are one statement each")
  func batches() throws {
    let notebook = try Notebook()
    let context = notebook.context()
    for number in 0..<1_000 { Note(context: context).code = "c\(number)" }
    try context.save()
    let keys = try context.fetch(Note.fetchRequest()).map(\.objectID.key)
    let texts = try statements(notebook) {
      let rows = try notebook.store.rows(forKeys: keys)
      #expect(rows.count == 1_000)
    }
    #expect(texts.count == 1)
    try notebook.close()
  }

  @Test("a save leaves one token behind for each connection, not one for each save")
  func tokens() throws {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(1)
    let notebook = try Notebook(description)
    for number in 0..<20 { try notebook.write("c\(number)") }
    let schema = try #require(description.url?.query()?.split(separator: "=").last)
    let tokens = try RawSession(try #require(Servers.uri))
      .rows("SELECT token FROM \"\(schema)\"._roost_commits")
    #expect(tokens.count == 1)
    try notebook.close()
  }

  @Test("values are bound: the text of a statement does not depend on them")
  func bound() throws {
    let notebook = try Notebook()
    let hostile = "x'; DROP TABLE \"Note\"; --"
    let texts = try statements(notebook) {
      try notebook.write(hostile)
      #expect(try notebook.context().count(for: Note.where { $0.code == hostile }) == 1)
    }
    #expect(!texts.contains { $0.contains("DROP") })
    #expect(try notebook.codes() == [hostile])
    try notebook.close()
  }

  @Test("a condition that an index serves is found by it, in the order that was asked for")
  func indexes() throws {
    let notebook = try Notebook()
    let context = notebook.context()
    for number in 0..<3_000 { Note(context: context).code = "c\(number)" }
    try context.save()
    let schema = try #require(notebook.store.url?.query()?.split(separator: "=").last)
    try RawSession(try #require(Servers.uri)).run(["ANALYZE \"\(schema)\".\"Note\""])
    let request = Note.where { $0.code == "c7" }
    let plan = try context.explain(request)
    #expect(plan.indexes == ["Note_unique_code"], "\(plan)")
    try notebook.close()
  }

  @Test("names of any length and kind become tables, and do not collide")
  func names() throws {
    let long = String(repeating: "Entity", count: 20)
    let names = [long + "A", long + "B", "select", "SELECT2", "größe", "a\"b", "Note_pkey", "Note"]
    let entities = names.map { name in
      let entity = EntityDescription(name: name)
      entity.declaredProperties = [
        AttributeDescription(name: long + "x", type: .string),
        AttributeDescription(name: long + "y", type: .string),
        AttributeDescription(name: "xmin", type: .string),
        AttributeDescription(name: "_key", type: .string),
      ]
      entity.uniquenessConstraints = [[long + "x"], [long + "y"]]
      return entity
    }
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(entities: entities))
    let store = try coordinator.addPersistentStore(with: Servers.description())
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    for entity in entities {
      let object = ManagedObject(entity: entity, insertInto: context)
      try object.setValue(entity.name, forKey: long + "x")
      try object.setValue("y", forKey: long + "y")
      try object.setValue("min", forKey: "xmin")
      try object.setValue("key", forKey: "_key")
    }
    try context.save()
    context.reset()
    for name in names {
      let found = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
      #expect(try found.map { try $0.value(forKey: long + "x") as? String } == [name])
    }
    try coordinator.remove(store)
  }
}
