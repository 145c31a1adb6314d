// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite
import Testing

@Entity final class Scribble: ManagedObject {
  @Attribute(.searchable) var title: String = ""
  @Attribute(.searchable) var body: String?
  var remark: String = ""
  var author: Scribbler?
}

@Entity final class Scribbler: ManagedObject {
  @Attribute(.searchable) var name: String = ""
  @Relationship(inverse: \.author) var scribbles: Set<Scribble>
}

/// Tests of full-text searches as programs write them.
@Suite("Searching") @MainActor
struct SearchingTests {
  private func container(
    _ store: PersistentStoreDescription = .inMemory()
  ) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Scribbles", model: ManagedObjectModel(Scribble.self, Scribbler.self), stores: [store])
    try container.loadPersistentStores()
    let context = container.viewContext
    let ada = Scribbler(name: "Ada Wild", context: context)
    for title in ["The wild goose", "Goose, wild and WILD", "Crème brûlée", "wilderness"] {
      let scribble = Scribble(title: title, remark: title, context: context)
      if title.hasPrefix("C") { scribble.author = ada }
    }
    for number in 0..<50 { _ = Scribble(title: "filler \(number)", context: context) }
    try context.save()
    return container
  }

  @Test("the model says which texts are searchable, and its versions do not (T9)")
  func declaration() throws {
    let model = try ManagedObjectModel(Scribble.self, Scribbler.self)
    let attributes = try #require(model.entitiesByName["Scribble"]).attributesByName
    #expect(attributes["title"]?.isSearchable == true && attributes["body"]?.isSearchable == true)
    #expect(attributes["remark"]?.isSearchable == false)
    let copy = model.copy()
    let title = try #require(copy.entitiesByName["Scribble"]?.attributesByName["title"])
    #expect(title.isSearchable)
    title.isSearchable = false
    #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  @Test("typed searches find and rank, also through relationships (T3, T6)")
  func typed() throws {
    let context = try container().viewContext
    let found = Scribble.where { $0.title.matches(search: "wild goo*") }.sorted(by: \.title)
    #expect(try context.fetch(found).map(\.title) == ["Goose, wild and WILD", "The wild goose"])
    let best = Scribble.fetchRequest().searching(\.title, for: "wild*").limit(2)
    #expect(try context.fetch(best).map(\.title) == ["Goose, wild and WILD", "wilderness"])
    let ofAda = Scribble.where { $0.author.name.matches(search: "wild") }
    #expect(try context.fetch(ofAda).map(\.title) == ["Crème brûlée"])
    let authors = Scribbler.fetchRequest().filter(
      try FetchPredicate("ANY scribbles.title SEARCH 'creme'"))
    #expect(try context.count(for: authors) == 1)
  }

  @Test("a search by an index reads the records that have the words, and no others (T10, T11)")
  func plans() throws {
    let context = try container().viewContext
    func plan(_ format: String) throws -> String {
      let request = Scribble.fetchRequest().filter(try FetchPredicate(format))
      return try context.explain(request).description
    }
    #expect(
      try plan("title SEARCH 'wild goose'").contains("with Scribble.words(title): 2 words"))
    #expect(
      try plan("title SEARCH 'wild' OR body SEARCH 'x'").contains(
        "with Scribble.words(title), Scribble.words(body): union of 2"))
    #expect(try plan("remark SEARCH 'wild'").contains("scan Scribble"))
    #expect(try plan("NOT title SEARCH 'wild'").contains("scan Scribble"))
  }

  @Test("an order of a search is refused for pages, and wrong texts for all (T12)")
  func refusals() throws {
    let context = try container().viewContext
    let request = Scribble.fetchRequest().searching(\.title, for: "filler")
    let error = #expect(throws: PersistenceError.self) {
      try context.page(request, size: 3)
    }
    #expect(error?.code == .invalidRequest && error?.remedy != nil)
  }

  @Test("a searchable text in a SQLite file is found as it is in memory (T3)")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "search-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try container(.sqlite(at: folder.appending(path: "a.sqlite"))).viewContext
    for query in ["brulee", "\"creme brulee\"", "crè* brû*"] {
      let request = Scribble.where { $0.title.matches(search: query) }
      #expect(try context.fetch(request).map(\.title) == ["Crème brûlée"], "\(query)")
    }
  }
}
