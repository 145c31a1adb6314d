// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite struct MemberViewTests {
  @Test("members are added, removed, found and counted without being read (B52, B65)")
  func unloaded() throws {
    let library = try Library()
    let author = try library.author(withBooks: 50)
    let context = library.context
    let books = author.mutableSet(\.books)
    #expect(books.count == 50)
    #expect(context.counters.rowsFetched == 0)
    let new = Book(context: context)
    author.addToBooks(new)
    #expect(new.author === author)
    #expect(books.contains(new) && books.count == 51)
    let old = try #require(context.fetch(Book.where { $0.title == "1" }).first)
    #expect(books.contains(old))
    author.removeFromBooks(old)
    #expect(old.author == nil && !books.contains(old) && books.count == 50)
    author.addToBooks(old)
    #expect(old.author === author && books.count == 51)
    #expect(!books.isLoaded && author.hasFault(forRelationshipNamed: "books"))
    #expect(context.registeredObjects.count < 5)
    try context.save()
    #expect(author.books.count == 51)
  }

  @Test("links without a to-one side are counted and tested without being read (B52, B77)")
  func unloadedLinks() throws {
    let library = try Library()
    let author = try library.author(withBooks: 20)
    let shelf = author.mutableSet(\.shelf)
    #expect(shelf.count == 20)
    let book = try #require(library.context.fetch(Book.where { $0.pages == 7 }).first)
    #expect(shelf.contains(book))
    author.removeFromShelf(book)
    #expect(!shelf.contains(book) && shelf.count == 19)
    author.addToShelf([book, Book(context: library.context)])
    #expect(shelf.count == 21 && !shelf.isLoaded)
    #expect(library.context.counters.rowsFetched == 1)
    try library.context.save()
    #expect(author.shelf.count == 21 && book.readers == [author])
  }

  @Test("what may not ask a store does not, and the save says so")
  func forbidden() throws {
    let library = try Library()
    let author = try library.author(withBooks: 2)
    _ = author.name
    library.context.allowsImplicitRoundTrips = false
    #expect(author.mutableSet(\.books).count == 0)
    #expect(code { try library.context.save() } == .forbiddenByPolicy)
  }

  @Test("IDs of destinations are told without making objects (B52)")
  func objectIDs() throws {
    let library = try Library()
    let author = try library.author(withBooks: 3)
    #expect(try author.objectIDs(forRelationshipNamed: "books").count == 3)
    #expect(author.hasFault(forRelationshipNamed: "books"))
    #expect(library.context.registeredObjects.count == 1)
    let book = try #require(library.context.fetch(Book.where { $0.pages == 0 }).first)
    #expect(try book.objectIDs(forRelationshipNamed: "author") == [author.objectID])
    book.author = nil
    #expect(try book.objectIDs(forRelationshipNamed: "author").isEmpty)
    #expect(try author.objectIDs(forRelationshipNamed: "books").count == 2)
    #expect(code { _ = try author.objectIDs(forRelationshipNamed: "name") } == .unknownKey)
  }

  @Test("sets write through: union, difference, intersection, replacement (B68)")
  func setOperations() throws {
    let library = try Library()
    let context = library.context
    let author = Author(context: context)
    let books = (0..<4).map { _ in Book(context: context) }
    let set = try author.mutableSetValue(forKey: "books")
    set.formUnion(books)
    #expect(author.books == Set(books) && books.allSatisfy { $0.author === author })
    set.formIntersection(Array(books[0...1]))
    #expect(author.books == Set(books[0...1]) && books[3].author == nil)
    set.set(Array(books[2...3]))
    #expect(Set(set) == Set(books[2...3]) && books[0].author == nil)
    set.removeAll()
    #expect(set.isEmpty && author.books.isEmpty && books[2].author == nil)
    #expect(code { _ = try author.mutableSetValue(forKey: "name") } == .unknownKey)
    #expect(code { _ = try author.mutableOrderedSetValue(forKey: "books") } == .invalidValue)
  }

  @Test("lists write through and keep their order (B78)")
  func listOperations() throws {
    let library = try Library()
    let context = library.context
    let book = Book(context: context)
    let chapters = "abcde".map { letter in
      let chapter = Chapter(context: context)
      chapter.title = String(letter)
      return chapter
    }
    func titles() -> String { book.chapters.map(\.title).joined() }
    book.addToChapters(chapters[0])
    book.addToChapters([chapters[1], chapters[2]])
    book.insertIntoChapters(chapters[3], at: 0)
    #expect(titles() == "dabc")
    book.replaceChapters(at: 1, with: chapters[4])
    #expect(titles() == "debc" && chapters[0].book == nil)
    book.removeFromChapters(at: 0)
    #expect(titles() == "ebc" && chapters[3].book == nil)
    let list = book.mutableList(\.chapters)
    list.move(fromOffsets: [0], toOffset: 3)
    #expect(titles() == "bce" && list.index(of: chapters[4]) == 2)
    list.swapAt(0, 2)
    list[1] = chapters[0]
    #expect(titles() == "eab" && list[0] === chapters[4] && list.count == 3)
    list.sort { $0.title < $1.title }
    #expect(titles() == "abe")
    list.insert([chapters[2], chapters[3]], at: [1, 3])
    #expect(titles() == "acbde")
    list.remove(at: [0, 4])
    #expect(titles() == "cbd" && list.contains(chapters[1]) && !list.contains(chapters[0]))
    try context.save()
    let keyed = try book.mutableOrderedSetValue(forKey: "chapters")
    #expect(keyed.array.count == 3)
    let other = library.anotherContext()
    let saved = try #require(other.object(with: book.objectID) as? Book)
    #expect(saved.chapters.map(\.title).joined() == "cbd")
  }

  @Test("ten thousand members are added one by one in linear time, to sets and lists (B65, B78)")
  func manyAdditions() throws {
    let library = try Library()
    let context = library.context
    let (author, book) = (Author(context: context), Book(context: context))
    try context.save()
    for _ in 0..<10_000 {
      author.addToBooks(Book(context: context))
      book.addToChapters(Chapter(context: context))
    }
    #expect(author.books.count == 10_000 && book.chapters.count == 10_000)
    let trips = context.counters.roundTrips
    #expect(trips < 10)
    for chapter in book.chapters { book.removeFromChapters(chapter) }
    #expect(book.chapters.isEmpty)
    try context.save()
  }

  @Test("a refreshed object leaves the other side of what it had changed (B46)")
  func refreshTakesLinksBack() throws {
    let library = try Library()
    let context = library.context
    let (ada, bob) = (Author(context: context), Author(context: context))
    let (first, second) = (Book(context: context), Book(context: context))
    first.author = ada
    second.author = ada
    ada.shelf = [first]
    try context.save()
    _ = bob.books
    first.author = bob
    second.readers = [ada, bob]
    ada.rival = bob
    try context.refresh(first, mergeChanges: false)
    #expect(ada.books == [first, second] && bob.books.isEmpty)
    #expect(first.isFault && first.author === ada)
    try context.refresh(second, mergeChanges: false)
    #expect(ada.shelf == [first] && bob.shelf.isEmpty)
    try context.refresh(bob, mergeChanges: false)
    #expect(ada.rival == nil && bob.rival == nil)
    try context.save()
    let other = library.anotherContext()
    let saved = try #require(other.object(with: ada.objectID) as? Author)
    #expect(saved.books.count == 2 && saved.rival == nil && saved.shelf.count == 1)
  }
}
