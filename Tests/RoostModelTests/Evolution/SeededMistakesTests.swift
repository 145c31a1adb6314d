// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// A change of a model that is made without considering existing stores.
struct SeededMistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The word that the check's message must contain.
  let word: String
  /// Whether existing stores could no longer be opened; other mistakes lose data, or are only missing from the lock
  /// file.
  var isImpossible = true
  let edit: @Sendable (Library) -> Void

  init(
    _ name: String, _ word: String, isImpossible: Bool = true,
    _ edit: @escaping @Sendable (Library) -> Void
  ) {
    testDescription = name
    self.word = word
    self.isImpossible = isImpossible
    self.edit = edit
  }

  static let all = [
    SeededMistake("a number becomes a text", "pages") { $0.book.attribute("pages").type = .string },
    SeededMistake("a number becomes smaller", "pages") {
      $0.book.attribute("pages").type = .integer16
    },
    SeededMistake("a number loses its fraction", "price") {
      $0.book.attribute("price").type = .integer64
    },
    SeededMistake("a number becomes less exact", "price") {
      $0.book.attribute("price").type = .float
    },
    SeededMistake("a text becomes a date", "isbn") { $0.book.attribute("isbn").type = .date },
    SeededMistake("a text becomes bytes", "isbn") { $0.book.attribute("isbn").type = .binaryData },
    SeededMistake("a date becomes a number", "bought") {
      $0.book.attribute("bought").type = .double
    },
    SeededMistake("a truth value becomes a number", "isLent") {
      $0.book.attribute("isLent").type = .integer16
    },
    SeededMistake("a UUID becomes a text", "code") { $0.book.attribute("code").type = .string },
    SeededMistake("a decimal becomes a double", "fee") { $0.book.attribute("fee").type = .double },
    SeededMistake("what is new must be there, without a default", "shelf") {
      $0.book.properties.append(Library.attribute("shelf", .string, isOptional: false))
    },
    SeededMistake("what may be missing must be there, without a default", "isbn") {
      $0.book.attribute("isbn").isOptional = false
    },
    SeededMistake("what must be there is renamed without its old name", "heading") {
      $0.book.attribute("title").name = "heading"
    },
    SeededMistake("two new names for one old", "first") {
      $0.book.attribute("isbn").name = "first"
      $0.book.attribute("first").renamingIdentifier = "isbn"
      let second = Library.attribute("second", .string)
      second.renamingIdentifier = "isbn"
      $0.book.properties.append(second)
    },
    SeededMistake("many becomes one", "authors") {
      ($0.book.propertiesByName["authors"] as? RelationshipDescription)?.maxCount = 1
    },
    SeededMistake("two entities get one superentity", "Author") {
      let base = EntityDescription(name: "Thing")
      base.isAbstract = true
      base.subentities = [$0.book, $0.author]
      $0.more = [base]
    },
    SeededMistake("an entity is renamed without its old name", "Writer", isImpossible: false) {
      $0.author.name = "Writer"
    },
    SeededMistake("an attribute is renamed without its old name", "isbn", isImpossible: false) {
      $0.book.attribute("isbn").name = "number"
    },
    SeededMistake("an attribute is gone", "bought", isImpossible: false) {
      $0.book.properties.removeAll { $0.name == "bought" }
    },
    SeededMistake("an attribute is stored no more", "price", isImpossible: false) {
      $0.book.attribute("price").isTransient = true
    },
  ]
}

/// The entities of a small model.
final class Library {
  let book = EntityDescription(name: "Book")
  let author = EntityDescription(name: "Author")
  var more: [EntityDescription] = []

  init() {
    book.properties = [
      Self.attribute("title", .string, isOptional: false), Self.attribute("isbn", .string),
      Self.attribute("pages", .integer32), Self.attribute("price", .double),
      Self.attribute("bought", .date), Self.attribute("isLent", .boolean),
      Self.attribute("code", .uuid), Self.attribute("fee", .decimal),
    ]
    author.properties = [Self.attribute("name", .string)]
    let authors = RelationshipDescription(name: "authors", destination: author, maxCount: 0)
    let books = RelationshipDescription(name: "books", destination: book, maxCount: 0)
    authors.inverseRelationship = books
    books.inverseRelationship = authors
    book.properties.append(authors)
    author.properties.append(books)
  }

  static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = isOptional
    return attribute
  }

  var model: ManagedObjectModel { ManagedObjectModel(entities: more + [book, author]) }
}

extension EntityDescription {
  fileprivate func attribute(_ name: String) -> AttributeDescription {
    guard let attribute = properties.first(where: { $0.name == name }) as? AttributeDescription
    else {
      preconditionFailure("The entity has no attribute \(name).")
    }
    return attribute
  }
}

@Suite("Mistakes that a lock file finds before a version ships")
final class SeededMistakesTests {
  private let url = FileManager.default.temporaryDirectory.appending(
    path: "\(UUID().uuidString).roostlock")

  deinit { try? FileManager.default.removeItem(at: url) }

  @Test(
    "each of 20 mistakes is named, also when it is written to the lock file (A9, M62)",
    arguments: SeededMistake.all)
  func found(mistake: SeededMistake) throws {
    #expect(SeededMistake.all.count == 20)
    try ModelLock.write(Library().model, to: url)
    try ModelLock.release("1.0", at: url)
    try ModelLock.check(Library().model, against: url)
    let library = Library()
    mistake.edit(library)
    let unwritten = #expect(throws: PersistenceError.self) {
      try ModelLock.check(library.model.copy(), against: url)
    }
    #expect(unwritten?.code == .invalidModel)
    #expect(unwritten?.message.contains(mistake.word) == true, "\(unwritten?.message ?? "")")
    // Writing the lock file anyway reports the change that stores cannot follow.
    guard mistake.isImpossible else { return }
    try ModelLock.write(library.model.copy(), to: url)
    let written = #expect(throws: PersistenceError.self) {
      try ModelLock.check(library.model.copy(), against: url)
    }
    #expect(written?.code == .inferredMappingModel)
    #expect(written?.message.contains(mistake.word) == true, "\(written?.message ?? "")")
  }
}
