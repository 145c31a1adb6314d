// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite struct BatchedFetchTests {
  private func request(_ size: Int) -> FetchRequest<Book> {
    let request = Book.fetchRequest().sorted(by: \.pages)
    request.fetchBatchSize = size
    return request
  }

  @Test("an array of a fetch in batches reads a batch when one of its objects is asked (B126)")
  func array() throws {
    let library = try Library()
    _ = try library.author(withBooks: 25)
    let context = library.context
    context.stalenessInterval = 0
    let books = try context.fetch(request(10))
    #expect(books.count == 25 && books.allSatisfy { $0.isFault })
    #expect(context.counters.roundTrips == 1 && context.counters.rowsFetched == 0)
    #expect(books[7].title == "7")
    #expect(context.counters.roundTrips == 2 && context.counters.rowsFetched == 10)
    #expect(books[24].title == "24")
    #expect(context.counters.roundTrips == 3 && context.counters.rowsFetched == 15)
  }

  @Test("a collection of batches keeps two of them, whatever their number (B126)")
  func collection() throws {
    let library = try Library()
    _ = try library.author(withBooks: 100)
    let context = library.context
    context.reset()
    let books = try context.fetchBatches(request(10))
    #expect(books.count == 100 && books.objectIDs.count == 100)
    #expect(context.registeredObjects.isEmpty)
    var most = 0
    for (index, book) in books.enumerated() {
      #expect(book.title == String(index))
      most = max(most, context.registeredObjects.count)
    }
    #expect(most <= 20)
    #expect(context.counters.roundTrips == 1 + 10)
    #expect(books.last?.title == "99" && books[3].pages == 3)
  }

  @Test("what a collection of batches has is decided when it is made (B126)")
  func fixedContent() throws {
    let library = try Library()
    let author = try library.author(withBooks: 30)
    let context = library.context
    let new = Book(context: context)
    new.pages = -1
    let books = try context.fetchBatches(request(10))
    #expect(books.count == 31 && books[0] === new)
    let other = library.anotherContext()
    let theirs = try #require(other.fetch(request(0)).first { $0.pages == 20 })
    theirs.pages = 500
    try other.save()
    #expect(books[21].pages == 500)
    #expect(books.count == 31)
    try context.save()
    #expect(books[0] === new && author.managedObjectContext === context)
  }

  @Test("a collection of batches prefetches for each batch (B127)")
  func prefetching() throws {
    let library = try Library()
    _ = try library.author(withBooks: 20)
    let context = library.context
    let request = request(10)
    request.relationshipKeyPathsForPrefetching = ["author"]
    request.returnsObjectsAsFaults = false
    let books = try context.fetchBatches(request)
    let first = books[0]
    #expect(!first.isFault && first.author?.isFault == false)
    context.allowsImplicitRoundTrips = false
    #expect(first.author?.name == "Ada")
    try context.save()
  }

  @Test("a collection of batches asks for the class of its entity")
  func wrongClass() throws {
    let library = try Library()
    let request = FetchRequest<Book>(entityName: "Author")
    #expect(code { _ = try library.context.fetchBatches(request) } == .invalidRequest)
  }

  @Test(
    "partial objects know the properties that were asked for, and read the rest together (B132)")
  func partial() throws {
    let library = try Library()
    _ = try library.author(withBooks: 5)
    let context = library.context
    let request = request(0)
    request.propertiesToFetch = ["title", "author"]
    let books = try context.fetch(request)
    #expect(context.counters.roundTrips == 1)
    #expect(books.allSatisfy { $0.isFault })
    #expect(books.map(\.title) == ["0", "1", "2", "3", "4"])
    #expect(try books[2].value(forKey: "title") as? String == "2")
    #expect(books.allSatisfy { $0.author === books[0].author })
    #expect(books.allSatisfy { $0.isFault } && context.counters.roundTrips == 1)
    context.stalenessInterval = 0
    #expect(books[3].pages == 3)
    #expect(context.counters.implicitRoundTrips == 1)
    #expect(books.map(\.pages) == [0, 1, 2, 3, 4])
  }

  @Test("a partial object is changed, saved and refreshed as any other (B132)")
  func partialIsWhole() throws {
    let library = try Library()
    _ = try library.author(withBooks: 3)
    let context = library.context
    let request = request(0)
    request.propertiesToFetch = ["title"]
    let books = try context.fetch(request)
    books[0].title = "new"
    #expect(!books[0].isFault && books[0].pages == 0)
    try context.save()
    let other = library.anotherContext()
    let saved = try #require(other.object(with: books[0].objectID) as? Book)
    #expect(saved.title == "new" && saved.author != nil)
    saved.title = "theirs"
    try other.save()
    #expect(books[1].title == "1" && books[1].isFault)
    try context.refresh(books[0], mergeChanges: false)
    #expect(books[0].title == "theirs")
    request.propertiesToFetch = ["nobody"]
    #expect(code { _ = try context.fetch(request) } == .unknownKey)
  }
}
