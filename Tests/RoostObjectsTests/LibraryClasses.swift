// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

enum Genre: String { case prose, verse }

/// A class with everything that a class can add to its entity: hooks, ignored changes, custom accessors.
@Entity class Author: ManagedObject {
  @Attribute(maximum: 40) var name: String = ""
  var age: Int32 = 0
  var genre: Genre = .prose
  var tags: [String] = []
  @Attribute(.transient) var draft: String?
  @Attribute(.transient) var isSelected: Bool = false
  @Relationship(inverse: \.author) var books: Set<Book>
  @Relationship(inverse: \.readers) var shelf: Set<Book>
  @Relationship(inverse: \.rival) var rival: Author?
  @Unmodeled var events: [SnapshotEventType] = []
  @Unmodeled var hookCalls: [String] = []

  override class func contextShouldIgnoreChanges(forKey key: String) -> Bool {
    key == "isSelected"
  }

  override func awake(fromSnapshotEvents flags: SnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    events.append(flags)
    draft = "made anew"
  }

  func validateName(_ name: inout String) throws {
    hookCalls.append("name")
    if name == "refuse" { throw PersistenceError(.managedObjectValidation, "No such name.") }
    name = name.trimmingCharacters(in: .whitespaces)
  }

  func validateGenre(_ genre: inout Genre) throws {
    if genre == .verse, name == "Prosaic" { genre = .prose }
  }

  func validateTags(_ tags: inout [String]) throws {
    tags = tags.map { $0.lowercased() }
  }

  func validateRival(_ rival: inout Author?) throws {
    if rival?.name == name { rival = nil }
  }

  func validateBooks(_ books: inout Set<Book>) throws {
    if books.contains(where: { $0.title == "banned" }) {
      throw PersistenceError(.managedObjectValidation, "One of the books is banned.")
    }
  }

  /// The name in capitals, by a hand-written accessor.
  var loudName: String? {
    get {
      willAccessValue(forKey: "name")
      defer { didAccessValue(forKey: "name") }
      return (try? primitiveValue(forKey: "name") as? String)?.uppercased()
    }
    set {
      willChangeValue(forKey: "name")
      try? setPrimitiveValue(newValue?.lowercased(), forKey: "name")
      didChangeValue(forKey: "name")
    }
  }
}

@Entity final class Poet: Author {
  var metre: String = "iambic"
  @Unmodeled var mood: String = "calm" {
    willSet { willChangeValue(forKey: "mood") }
    didSet { didChangeValue(forKey: "mood") }
  }

  override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }

  func validateMetre(_ metre: inout String) throws {
    hookCalls.append("metre")
  }
}

@Entity final class Book: ManagedObject {
  var title: String = ""
  var pages: Int32 = 0
  var price: Decimal?
  @Relationship(inverse: \.books) var author: Author?
  @Relationship(inverse: \.shelf) var readers: Set<Author>
  @Relationship(deleteRule: .cascade, inverse: \.book) var chapters: [Chapter]
}

@Entity final class Chapter: ManagedObject {
  var title: String = ""
  @Relationship(inverse: \.chapters) var book: Book?
}

/// A stack with authors and books.
struct Library {
  let container: PersistentContainer
  let context: ManagedObjectContext

  init(_ model: ManagedObjectModel? = nil) throws {
    let model = try model ?? ManagedObjectModel(Author.self, Poet.self, Book.self, Chapter.self)
    container = try PersistentContainer(name: "library", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  func anotherContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  /// Returns an author with saved books, which are not yet registered in the context under test.
  func author(withBooks count: Int) throws -> Author {
    let seeding = anotherContext()
    let author = Author(context: seeding)
    author.name = "Ada"
    for index in 0..<count {
      let book = Book(context: seeding)
      book.title = "\(index)"
      book.pages = Int32(index)
      author.addToBooks(book)
      author.addToShelf(book)
    }
    try seeding.save()
    return try withExtendedLifetime(seeding) {
      let found = context.object(with: author.objectID) as? Author
      guard let found else { throw PersistenceError(.invalidValue, "Not an author.") }
      return found
    }
  }
}
