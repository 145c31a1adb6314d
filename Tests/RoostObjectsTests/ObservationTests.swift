// SPDX-License-Identifier: Apache-2.0

import Observation
import Roost
import Synchronization
import Testing

@testable import RoostObjects

@Suite struct ObservationTests {
  /// Counts its notifications.
  private final class Bell: Sendable {
    private let rings = Mutex(0)
    var count: Int { rings.withLock { $0 } }
    func ring() { rings.withLock { $0 += 1 } }
  }

  /// Returns the number of notifications by Observation for the properties that a body reads, during a change.
  private func rings(
    reading body: () throws -> Void, when change: () throws -> Void
  ) throws -> Int {
    let bell = Bell()
    let read = withObservationTracking {
      Result { try body() }
    } onChange: {
      bell.ring()
    }
    try read.get()
    try change()
    return bell.count
  }

  private func observedLibrary() throws -> (Library, Author) {
    let library = try Library()
    library.context.allowsObservation = true
    return (library, try library.author(withBooks: 2))
  }

  @Test("a change of a property that was read is told, of others it is not")
  func attributes() throws {
    let (library, author) = try observedLibrary()
    #expect(try rings(reading: { _ = author.name }, when: { author.name = "Bob" }) == 1)
    #expect(try rings(reading: { _ = author.name }, when: { author.age = 3 }) == 0)
    #expect(try rings(reading: { _ = author.name }, when: { author.name = "Cy" }) == 1)
    #expect(author.name == "Cy" && author.age == 3 && author.isUpdated)
    let keyed = try rings(
      reading: { _ = try author.value(forKey: "age") },
      when: { try author.setValue(4, forKey: "age") })
    #expect(keyed == 1)
    try library.context.save()
    #expect(try rings(reading: { _ = author.age }, when: { author.age = 9 }) == 1)
  }

  @Test("changes through inverses are told on both sides (B65)")
  func relationships() throws {
    let (library, author) = try observedLibrary()
    let book = Book(context: library.context)
    #expect(try rings(reading: { _ = author.books }, when: { book.author = author }) == 1)
    #expect(try rings(reading: { _ = book.author }, when: { author.removeFromBooks(book) }) == 1)
    #expect(try rings(reading: { _ = book.author }, when: { book.title = "x" }) == 0)
  }

  @Test("refresh, rollback and turning into a fault are told")
  func replacements() throws {
    let (library, author) = try observedLibrary()
    author.name = "Bob"
    #expect(try rings(reading: { _ = author.name }, when: { library.context.rollback() }) == 1)
    #expect(author.name == "Ada")
    let refreshed = try rings(
      reading: { _ = author.name },
      when: { try library.context.refresh(author, mergeChanges: false) })
    #expect(refreshed == 1)
    #expect(author.isFault && author.name == "Ada" && !author.isFault)
  }

  @Test("accessors written by hand are told, of properties that the model does not have, too")
  func handWritten() throws {
    let (library, author) = try observedLibrary()
    #expect(try rings(reading: { _ = author.loudName }, when: { author.loudName = "X" }) == 1)
    let poet = Poet(context: library.context)
    let told = try rings(
      reading: { poet.willAccessValue(forKey: "mood") }, when: { poet.mood = "wild" })
    #expect(told == 1)
  }

  @Test("without leave nothing is observed and nothing is kept; leave may be taken back")
  func unobserved() throws {
    let library = try Library()
    let author = try library.author(withBooks: 1)
    #expect(try rings(reading: { _ = author.name }, when: { author.name = "Bob" }) == 0)
    library.context.allowsObservation = true
    #expect(try rings(reading: { _ = author.name }, when: { author.name = "Cy" }) == 1)
    library.context.allowsObservation = false
    #expect(try rings(reading: { _ = author.name }, when: { author.name = "Di" }) == 0)
    #expect(author.name == "Di")
  }

  @Test("no two flags of an object are one bit")
  func distinctFlags() {
    let flags: [ObjectFlags] = [
      .inserted, .updated, .deleted, .propagated, .inaccessible, .awakening, .recorder, .observed,
      .awoken, .gone, .inEvent, .hasEarlierChanges, .hasKeptRow,
    ]
    #expect(ObjectFlags(flags).rawValue.nonzeroBitCount == flags.count)
  }

  @Test("what is kept of an object goes with it")
  func registrars() throws {
    let (library, author) = try observedLibrary()
    for index in 0..<2 {
      let books = try library.context.fetch(Book.fetchRequest())
      for book in books { _ = book.title }
      #expect(library.context.eventState.observation?.count == 2, "round \(index)")
    }
    #expect(library.context.eventState.observation?.count == 0)
    #expect(author.isFault)
  }
}
