// SPDX-License-Identifier: Apache-2.0

import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

@Entity final class Shelf: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \.shelf) var books: Set<Book>
}

@Entity final class Book: ManagedObject {
  var title: String = ""
  @Relationship(inverse: \.books) var shelf: Shelf?
}

@Suite("Destinations of relationships", .enabled(if: Servers.isThere))
struct DestinationTests {
  @Test("the destinations of many sources come as a list for each, in the order of their keys")
  func lists() throws {
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(Shelf.self, Book.self))
    let store = try coordinator.addPersistentStore(with: Servers.description())
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    let shelves = (0..<3).map { _ in Shelf(context: context) }
    let books = (0..<300).map { _ in Book(context: context) }
    for (number, book) in books.enumerated() { book.shelf = shelves[number % 2] }
    try context.save()
    // Updated rows move to another place in the table.
    for book in books.prefix(20) { book.title = "changed" }
    try context.save()
    let relationship = try #require(
      coordinator.managedObjectModel.entitiesByName["Shelf"]?.relationshipsByName["books"])
    let keys = shelves.map(\.objectID.key)
    let texts = Mutex<[String]>([])
    store.description.log?.listen { line in texts.withLock { $0.append(line.text) } }
    let found = try store.destinations(
      of: relationship, forSources: [keys[2], keys[1], keys[0], keys[1]])
    store.description.log?.listen(nil)
    #expect(texts.withLock { $0.count } == 1)
    #expect(found.offsets == [0, 0, 150, 300, 450])
    #expect(found.positions.isEmpty)
    func expected(_ rest: Int) -> [Int64] {
      books.indices.filter { $0 % 2 == rest }.map { books[$0].objectID.key }.sorted()
    }
    #expect(Array(found.keys[0..<150]) == expected(1))
    #expect(Array(found.keys[150..<300]) == expected(0))
    #expect(Array(found.keys[300..<450]) == expected(1))
    #expect(try store.destinations(of: relationship, forSources: []).offsets == [0])
    try coordinator.remove(store)
  }

  @Test("the rows of a list of ten thousand keys come in one request")
  func longList() throws {
    let notebook = try Notebook()
    let context = notebook.context()
    for number in 0..<10_000 { Note(context: context).code = "c\(number)" }
    try context.save()
    let keys = try context.fetch(Note.fetchRequest()).map(\.objectID.key)
    let rows = try notebook.store.rows(forKeys: keys.reversed())
    #expect(Set(rows.map(\.key)) == Set(keys))
    #expect(rows.count == keys.count)
    try notebook.close()
  }

  @Test("many keys are looked up in the index, and not one by one while the statement is planned")
  func plan() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let store = try #require(notebook.store as? PostgreSQLStore)
    let type = try store.prepared().recordType(
      ofKey: try #require(notebook.context().fetch(Note.fetchRequest()).first).objectID.key)
    var parameters = Parameters()
    try parameters.append((0..<10_000).map { $0 * 4096 })
    let lines = try store.withConnection { connection in
      // For a table with one record the planner would choose a sequential scan.
      let result = try connection.run([
        .begin, .once("SET LOCAL enable_seqscan = off"),
        PostgreSQLCommand("EXPLAIN (COSTS OFF) " + type.select, parameters, isKept: false),
        .commit,
      ]).get()[2]
      return (0..<result.count).compactMap { result.text($0) }
    }
    #expect(
      lines.contains { $0.contains("_key = ANY ($0)") || $0.contains("InitPlan") }, "\(lines)")
    #expect(!lines.contains { $0.contains("40955904") })
    try notebook.close()
  }
}
