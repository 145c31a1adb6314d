// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Differences between merged models (B17)")
struct MergedDifferenceTests {
  /// Returns a model of a book with a title and an author's name.
  private func book(
    _ change: (EntityDescription) throws -> Void = { _ in }
  ) rethrows -> ManagedObjectModel {
    let book = EntityDescription(name: "Book")
    book.properties = [
      AttributeDescription(name: "title", type: .string),
      CompositeAttributeDescription(
        name: "author", elements: [AttributeDescription(name: "name", type: .string)]),
    ]
    try change(book)
    return ManagedObjectModel(entities: [book])
  }

  private func index(
    _ name: String, _ property: String, isAscending: Bool = true
  ) -> FetchIndexDescription {
    FetchIndexDescription(
      name: name,
      elements: [FetchIndexElementDescription(propertyName: property, isAscending: isAscending)])
  }

  @Test("an entity has the indexes that any of the models gives it, on its own properties (B12)")
  func indexes() throws {
    let first = book { $0.indexes = [index("byTitle", "title"), index("byAuthor", "author.name")] }
    let second = book { book in
      let title = FetchIndexElementDescription(property: book.propertiesByName["title"]!)
      book.indexes = [
        index("byTitle", "title"), FetchIndexDescription(name: "again", elements: [title]),
      ]
    }
    let merged = try ManagedObjectModel(byMerging: [first, book(), second])
    try merged.freeze()
    let entity = try #require(merged.entitiesByName["Book"])
    #expect(entity.indexes.map(\.name) == ["byTitle", "byAuthor", "again"])
    #expect(entity.indexes.allSatisfy { $0.entity === entity })
    #expect(
      entity.indexes[2].elements[0].property === entity.propertiesByName["title"])
    #expect(second.entities[0].indexes.count == 2)
  }

  @Test("an index of one name cannot be two")
  func indexClash() throws {
    let first = book { $0.indexes = [index("byTitle", "title")] }
    let second = book { $0.indexes = [index("byTitle", "title", isAscending: false)] }
    let third = book { book in
      let partial = index("byTitle", "title")
      partial.partialIndexPredicate = UnparsedPredicate("title != nil")
      book.indexes = [partial]
    }
    for other in [second, third] {
      let error = #expect(throws: PersistenceError.self) {
        try ManagedObjectModel(byMerging: [first, other])
      }
      #expect(error?.code == .invalidModel)
      #expect(error?.underlyingErrors.map(\.entityName) == ["Book"])
    }
  }

  @Test("what migration, validation and the program look at must agree", arguments: 0..<7)
  func differences(_ number: Int) throws {
    let changes: [(EntityDescription) throws -> Void] = [
      { $0.renamingIdentifier = "Volume" },
      { $0.propertiesByName["title"]?.renamingIdentifier = "name" },
      { $0.userInfo["shelf"] = "B" },
      { $0.propertiesByName["title"]?.userInfo["label"] = 2 },
      { book in
        let author = book.propertiesByName["author"] as? CompositeAttributeDescription
        (author?.elements[0] as? AttributeDescription)?.maxLength = 9
      },
      { book in
        try book.propertiesByName["title"]?.setValidationPredicates(
          [UnparsedPredicate("SELF != ''")], withValidationWarnings: ["Another text."])
      },
      { $0.attributesByName["title"]?.attributeValueClassName = "Text" },
    ]
    let first = try book { book in
      book.userInfo["shelf"] = "A"
      let title = book.propertiesByName["title"]
      title?.userInfo["label"] = 1
      try title?.setValidationPredicates(
        [UnparsedPredicate("SELF != ''")], withValidationWarnings: ["A text."])
    }
    let alike = first.copy()
    #expect(try ManagedObjectModel(byMerging: [first, alike]).entities.count == 1)
    try changes[number](alike.entities[0])
    let error = #expect(throws: PersistenceError.self) {
      try ManagedObjectModel(byMerging: [first, alike])
    }
    #expect(error?.underlyingErrors.map(\.entityName) == ["Book"])
  }

  @Test("user info of several models is united")
  func userInfo() throws {
    let first = book { $0.userInfo = ["a": "1", "b": "2"] }
    let second = book { book in
      book.userInfo = ["b": "2", "c": "3"]
      book.propertiesByName["title"]?.userInfo = ["d": "4"]
    }
    let merged = try ManagedObjectModel(byMerging: [first, second])
    let entity = try #require(merged.entitiesByName["Book"])
    #expect(entity.userInfo.keys.sorted() == ["a", "b", "c"])
    #expect(entity.propertiesByName["title"]?.userInfo["d"] as? String == "4")
    #expect(first.entities[0].userInfo.count == 2)
  }
}
