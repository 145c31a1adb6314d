// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite struct KeyedAccessTests {
  @Test("key paths are read through relationships, collections and operators (B35)")
  func keyPaths() throws {
    let library = try Library()
    let author = try library.author(withBooks: 4)
    let book = try #require(author.books.first { $0.title == "3" })
    #expect(try book.value(forKeyPath: "author.name") as? String == "Ada")
    #expect(try book.value(forKeyPath: "author.rival.name") == nil)
    let titles = try #require(try author.value(forKeyPath: "books.title") as? [String])
    #expect(titles.sorted() == ["0", "1", "2", "3"])
    #expect(try author.value(forKeyPath: "books.@count") as? Int == 4)
    #expect(try author.value(forKeyPath: "books.@sum.pages") as? Int == 6)
    #expect(try author.value(forKeyPath: "books.@avg.pages") as? Double == 1.5)
    #expect(try author.value(forKeyPath: "books.@min.title") as? String == "0")
    #expect(try author.value(forKeyPath: "books.@max.pages") as? Int == 3)
    book.price = 2.5
    #expect(try author.value(forKeyPath: "books.@sum.price") as? Decimal == 2.5)
    #expect(try author.value(forKeyPath: "books.@max.author.age") as? Int == 0)
    let authors = try author.value(forKeyPath: "books.@distinctUnionOfObjects.author")
    #expect((authors as? [Author]) == [author])
    for wrong in ["books.@count.title", "books.@nothing.title", "books.@sum", "name.length"] {
      #expect(code { _ = try author.value(forKeyPath: wrong) } == .unknownKey, "\(wrong)")
    }
    #expect(code { _ = try author.value(forKeyPath: "books.@sum.title") } == .invalidValue)
  }

  @Test("setValue(forKeyPath:) sets at the end of to-one relationships (B54)")
  func setKeyPath() throws {
    let library = try Library()
    let author = try library.author(withBooks: 1)
    let book = try #require(author.books.first)
    try book.setValue("Bob", forKeyPath: "author.name")
    #expect(author.name == "Bob" && author.isUpdated)
    try author.setValue("nobody", forKeyPath: "rival.name")
    #expect(code { try author.setValue(1, forKeyPath: "books.pages") } == .unknownKey)
    #expect(code { try author.setValue(1, forKeyPath: "nobody.pages") } == .unknownKey)
  }

  @Test("a subscript reads and sets; what is wrong is thrown by the save (B53)")
  func subscripts() throws {
    let library = try Library()
    let author = Author(context: library.context)
    author["name"] = "Ada"
    #expect(author["name"] as? String == "Ada")
    author["age"] = "many"
    #expect(author.age == 0)
    #expect(code { try library.context.save() } == .invalidValue)
    #expect(author["nobody"] == nil)
    #expect(code { try library.context.save() } == .unknownKey)
    try library.context.save()
  }

  @Test("several values are set together, all or none (B53)")
  func severalValues() throws {
    let library = try Library()
    let author = Author(context: library.context)
    try author.setValuesForKeys(["name": "Ada", "age": 36, "draft": NSNull()])
    #expect(author.name == "Ada" && author.age == 36)
    let values = try author.dictionaryWithValues(forKeys: ["name", "draft", "rival"])
    #expect(values["name"] as? String == "Ada")
    #expect(values["draft"] is NSNull && values["rival"] is NSNull)
    try library.context.save()
    #expect(code { try author.setValuesForKeys(["age": 1, "name": 7]) } == .invalidValue)
    #expect(code { try author.setValuesForKeys(["age": 1, "zzz": 7]) } == .unknownKey)
    #expect(author.age == 36 && !author.hasChanges)
    #expect(code { _ = try author.dictionaryWithValues(forKeys: ["zzz"]) } == .unknownKey)
  }

  @Test("an accessor written by hand fires the fault and is tracked (B35, B54)")
  func customAccessor() throws {
    let library = try Library()
    let author = try library.author(withBooks: 0)
    #expect(author.isFault)
    #expect(author.loudName == "ADA")
    #expect(!author.isFault && !author.hasChanges)
    author.loudName = "BOB"
    #expect(author.name == "bob" && author.isUpdated)
    #expect(author.changedValues()["name"] as? String == "bob")
    try library.context.save()
    let other = library.anotherContext()
    #expect((other.object(with: author.objectID) as? Author)?.name == "bob")
  }

  @Test("a setter written by hand keeps the inverse (B65), the primitive one does not (B70)")
  func customRelationshipSetter() throws {
    let library = try Library()
    let context = library.context
    let (ada, bob) = (Author(context: context), Author(context: context))
    let book = Book(context: context)
    book.author = ada
    try book.setPrimitiveValue(bob, forKey: "author")
    #expect(ada.books == [book] && bob.books.isEmpty)
    try book.setPrimitiveValue(ada, forKey: "author")
    book.willChangeValue(forKey: "author")
    try book.setPrimitiveValue(bob, forKey: "author")
    book.didChangeValue(forKey: "author")
    #expect(ada.books.isEmpty && bob.books == [book])
    let more: Set<ManagedObject> = [Book(context: context)]
    bob.willChangeValue(forKey: "books", withSetMutation: .union, using: more)
    try bob.setPrimitiveValue(more.union([book]), forKey: "books")
    bob.didChangeValue(forKey: "books", withSetMutation: .union, using: more)
    #expect(bob.books.count == 2 && bob.books.allSatisfy { $0.author === bob })
    bob.willChangeValue(forKey: "books", withSetMutation: .minus, using: [book])
    try bob.setPrimitiveValue(more, forKey: "books")
    bob.didChangeValue(forKey: "books", withSetMutation: .minus, using: [book])
    #expect(book.author == nil && bob.books.count == 1)
    bob.willChangeValue(forKey: "books", withSetMutation: .set, using: [book])
    try bob.setPrimitiveValue(Set<ManagedObject>([book]), forKey: "books")
    bob.didChangeValue(forKey: "books", withSetMutation: .set, using: [book])
    #expect(book.author === bob && bob.books == [book])
    #expect(more.allSatisfy { ($0 as? Book)?.author == nil })
  }

  @Test("a transient attribute dirties its object unless the class ignores it (B59)")
  func transient() throws {
    let library = try Library()
    let author = try library.author(withBooks: 0)
    author.isSelected = true
    #expect(author.isSelected && !author.hasChanges && !library.context.hasChanges)
    author.draft = "x"
    #expect(author.isUpdated && author.changedValues().isEmpty)
    #expect(!author.hasPersistentChangedValues)
    try library.context.save()
    #expect(author.draft == "x" && author.isSelected)
  }

  @Test("an unmodelled property dirties its object only where the class says so (B60)")
  func unmodelled() throws {
    let library = try Library()
    let author = Author(context: library.context)
    let poet = Poet(context: library.context)
    try library.context.save()
    author.willChangeValue(forKey: "mood")
    author.didChangeValue(forKey: "mood")
    #expect(!library.context.hasChanges)
    poet.mood = "wild"
    #expect(poet.isUpdated && poet.changedValues().isEmpty)
    try library.context.save()
  }
}
