// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite struct ValidationHookTests {
  @Test("validate<Key> may replace the value, and the replaced one is saved (B151, B159)")
  func replacing() throws {
    let library = try Library()
    let author = Author(context: library.context)
    author.name = "  Prosaic "
    author.genre = .verse
    author.tags = ["A", "b"]
    try library.context.save()
    #expect(author.name == "Prosaic" && author.tags == ["a", "b"])
    // The genre was validated after the name had been corrected: validation repeats until no value changes.
    #expect(author.genre == .prose)
  }

  @Test("validate<Key> may refuse; the error names object and key (B155)")
  func refusing() throws {
    let library = try Library()
    let author = Author(context: library.context)
    author.name = "refuse"
    do {
      try library.context.save()
      Issue.record("The save succeeded.")
    } catch let error as PersistenceError {
      #expect(error.code == .managedObjectValidation && error.key == "name")
      #expect(error.objectIDs == [author.objectID] && error.entityName == "Author")
      #expect(error.value == .string("refuse"))
    }
    author.name = "fine"
    let book = Book(context: library.context)
    book.title = "banned"
    author.addToBooks(book)
    do {
      try library.context.save()
      Issue.record("The save succeeded.")
    } catch let error as PersistenceError {
      #expect(error.key == "books" && error.message == "One of the books is banned.")
    }
  }

  @Test("a hook of a to-one relationship may replace the destination (B151)")
  func replacingDestination() throws {
    let library = try Library()
    let (ada, other) = (Author(context: library.context), Author(context: library.context))
    ada.name = "Ada"
    other.name = "Ada"
    ada.rival = other
    try library.context.save()
    #expect(ada.rival == nil && other.rival == nil)
  }

  @Test("a subclass has its own hooks and those of its superclass (B151)")
  func inherited() throws {
    let library = try Library()
    let poet = Poet(context: library.context)
    poet.name = " Sappho "
    try library.context.save()
    #expect(poet.name == "Sappho")
    #expect(Set(poet.hookCalls) == ["name", "metre"])
    poet.hookCalls = []
    poet.age = 30
    try library.context.save()
    #expect(poet.hookCalls.isEmpty)
  }

  @Test("a hook called directly skips the model's rules, validateValue has both (B152)")
  func direct() throws {
    let library = try Library()
    let author = Author(context: library.context)
    var name = "  x "
    try author.validateName(&name)
    #expect(name == "x")
    // The text is longer than the model allows; the hook, which does not check the model's rules, accepts it.
    name = " " + String(repeating: "n", count: 41)
    try author.validateName(&name)
    #expect(name.count == 41)
    var long = Value.string(name)
    #expect(
      code { try author.validateValue(&long, forKey: "name") } == .validationStringTooLong)
    author.name = name
    #expect(code { try library.context.save() } == .validationStringTooLong)
    var value = Value.string(" y ")
    try author.validateValue(&value, forKey: "name")
    #expect(value == .string("y"))
    value = .null
    #expect(
      code { try author.validateValue(&value, forKey: "name") }
        == .validationMissingMandatoryProperty)
    value = .string("refuse")
    #expect(code { try author.validateValue(&value, forKey: "name") } == .managedObjectValidation)
    #expect(code { try author.validateValue(&value, forKey: "nobody") } == .unknownKey)
  }

  @Test("validateValue converts texts and numbers first (B151)")
  func coercion() throws {
    let library = try Library()
    let (author, book) = (Author(context: library.context), Book(context: library.context))
    let id = UUID()
    let conversions: [(ManagedObject, String, Value, Value)] = [
      (author, "age", .string(" 36 "), .integer(36)), (author, "age", .double(2), .integer(2)),
      (author, "age", .boolean(true), .integer(1)), (author, "name", .integer(7), .string("7")),
      (author, "name", .uuid(id), .string(id.uuidString)),
      (author, "isSelected", .string("YES"), .boolean(true)),
      (author, "isSelected", .integer(0), .boolean(false)),
      (book, "price", .string("-2.50"), .decimal(-2.5)), (book, "price", .null, .null),
    ]
    for (object, key, given, wanted) in conversions {
      var value = given
      try object.validateValue(&value, forKey: key)
      #expect(value == wanted, "\(key) \(given)")
    }
    for (object, key, given) in [
      (author as ManagedObject, "age", Value.string("36 years")), (author, "age", .double(1.5)),
      (author, "age", .string("")), (author, "isSelected", .string("perhaps")),
      (book, "price", .string("2.5.")), (book, "price", .string("nan")),
      (book, "price", .date(Date())),
    ] {
      var value = given
      #expect(
        code { try object.validateValue(&value, forKey: key) } == .invalidValue, "\(key) \(given)")
      #expect(value == given)
    }
  }

  @Test(
    "the bounds and the relationships of a value are judged by validateValue as well (B9, B152)")
  func relationships() throws {
    let library = try Library()
    let (author, book) = (Author(context: library.context), Book(context: library.context))
    var value = Value.objectID(author.objectID)
    try book.validateValue(&value, forKey: "author")
    value = .objectID(book.objectID)
    #expect(code { try book.validateValue(&value, forKey: "author") } == .invalidValue)
    value = .string("Ada")
    #expect(code { try book.validateValue(&value, forKey: "author") } == .invalidValue)
    value = .integer(Int64(Int32.max) + 1)
    #expect(code { try author.validateValue(&value, forKey: "age") } != nil)
  }

  @Test("messages are in the words of the model's localisation dictionary (B155)")
  func localisation() throws {
    let model = try ManagedObjectModel(Author.self, Poet.self, Book.self, Chapter.self)
    let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
    title.minLength = 3
    let pages = try #require(model.entitiesByName["Book"]?.attributesByName["pages"])
    try pages.setValidationPredicates(
      [FetchPredicate("SELF > 0")], withValidationWarnings: [.message("NoPages")])
    model.localizationDictionary = [
      "Property/title/Entity/Book": "Der Titel", "ErrorString/NoPages": "Es fehlen Seiten.",
      "ErrorString/%@ needs %d characters.": "%@ braucht %d Zeichen.",
    ]
    let library = try Library(model)
    let book = Book(context: library.context)
    book.title = "x"
    do {
      try library.context.save()
      Issue.record("The save succeeded.")
    } catch let error as PersistenceError {
      #expect(error.code == .validationMultipleErrors)
      let messages = error.underlyingErrors.map(\.message).sorted()
      #expect(messages == ["Der Titel braucht 3 Zeichen.", "Es fehlen Seiten."])
      #expect(error.underlyingErrors.contains { $0.predicateFormat == "SELF > 0" })
      #expect(error.underlyingErrors.allSatisfy { $0.objectIDs == [book.objectID] })
    }
  }
}
