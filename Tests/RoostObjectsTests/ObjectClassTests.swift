// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// A program's subclass, for objects of the entity of another class.
private class LocalAuthor: Author {}

/// A class that no entity names.
private final class Stranger: ManagedObject {}

private enum Shape: Codable { case circle(radius: Double), square(side: Double) }

@Entity private final class Drawing: ManagedObject {
  var shape: Shape
}

@Entity private final class Sheet: ManagedObject {
  var shape: Shape = Shape.circle(radius: 1)
}

private final class Loop: Codable, Sendable {
  let next: Loop
}

@Entity private final class Ring: ManagedObject {
  var loop: Loop
}

/// The state that an object records in its initializer.
private final class Beginning {
  let wasGivenContext: Bool
  var name: String?
  init(wasGivenContext: Bool) { self.wasGivenContext = wasGivenContext }
}

@Entity private class Visitor: ManagedObject {
  var name: String = "nobody"
  final let beginning: Beginning

  required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    beginning = Beginning(wasGivenContext: context != nil)
    super.init(overriding: entity, insertInto: context)
  }
}

@Entity private final class RegularVisitor: Visitor {
  var visits: Int = 0

  required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    beginning.name = name
  }
}

/// A class whose override of the initializer uses everything that is allowed.
@Entity private final class Restless: ManagedObject {
  var count: Int = 1
  var note: String = "new"
  var wanted: Bool?
  @Relationship(inverse: \Restless.others) var friend: Restless?
  var others: Set<Restless>

  required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    super.init(overriding: entity, insertInto: context)
    let friends = (friend == nil ? 0 : 1) + others.count
    if count == 1, note == "new", wanted == nil, friends == 0 {
      count = 2
      note = "begun"
      wanted = true
      friend = nil
      others = []
    }
  }
}

/// A class whose override does not pass the context on, unless it is named "editing".
@Entity private final class Selfish: ManagedObject {
  var number: Int = 0

  required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    super.init(overriding: entity, insertInto: context?.isEditing ?? true ? context : nil)
  }
}

extension ManagedObjectContext {
  fileprivate var isEditing: Bool { name == "editing" }
}

/// Tests that the class of an object is the one that its entity names, or a subclass (B3).
@Suite struct ObjectClassTests {
  @Test("the object is of the class that the entity names, whatever class was asked for (B3)")
  func entityClass() throws {
    let library = try Library()
    let entities = library.container.managedObjectModel.entitiesByName
    let poet = try #require(entities["Poet"])
    let made = ManagedObject(entity: poet, insertInto: library.context)
    #expect(type(of: made) == Poet.self && made.managedObjectContext === library.context)
    #expect(type(of: Poet(entity: poet, insertInto: nil)) == Poet.self)
    let dynamic: ManagedObject.Type = Author.self
    #expect(type(of: dynamic.init(entity: poet, insertInto: nil)) == Poet.self)
    try library.context.save()
    // An initializer of a named class makes objects of that class, which cannot be of a subentity.
    let author = Author(entity: poet, insertInto: library.context)
    #expect(author.managedObjectContext == nil)
    #expect(code { try library.context.save() } == .invalidValue)
    let found = try library.context.fetch(FetchRequest<Author>(entityName: "Author"))
    #expect(found == [made] && (found.first as? Poet)?.metre == "iambic")
  }

  @Test("an object of another class than its entity's is not taken by the context (B3)")
  func otherClass() throws {
    let library = try Library()
    let context = library.context
    let entity = try #require(
      library.container.managedObjectModel.entitiesByName["Book"])
    // The context has accepted a book before, and checks again anyway.
    let book = Book(context: context)
    let stranger = Stranger(entity: entity, insertInto: context)
    let late = Stranger(entity: entity, insertInto: nil)
    context.insert(late)
    #expect(stranger.managedObjectContext == nil && late.managedObjectContext == nil)
    #expect(context.insertedObjects == [book])
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .validationMultipleErrors)
    #expect(error?.underlyingErrors.map(\.code) == [.invalidValue, .invalidValue])
    #expect(error?.underlyingErrors.first?.entityName == "Book")
    try context.save()
    let request = FetchRequest<Book>(entityName: "Book")
    #expect(try context.fetch(request) == [book])
    #expect(try Array(context.fetchBatches(request)) == [book])
  }

  @Test(
    "a class may override the initializer, which is called for new objects and for those of records (B19)"
  )
  func overriddenInitializer() throws {
    let model = try ManagedObjectModel(RegularVisitor.self)
    let container = try PersistentContainer(name: "a", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let guest = RegularVisitor(context: context)
    #expect(guest.beginning.wasGivenContext && guest.beginning.name == "nobody")
    #expect(context.insertedObjects == [guest])
    guest.name = "Ada"
    guest.visits = 2
    let entity = try #require(model.entitiesByName["RegularVisitor"])
    let made = ManagedObject(entity: entity, insertInto: nil)
    #expect((made as? RegularVisitor)?.beginning.wasGivenContext == false)
    try context.save()

    let other = container.newBackgroundContext()
    let found = try #require(try other.fetch(FetchRequest<Visitor>(entityName: "Visitor")).first)
    let regular = try #require(found as? RegularVisitor)
    #expect(regular.beginning.wasGivenContext && regular.beginning.name == "Ada")
    #expect(regular.visits == 2 && !other.hasChanges)
    #expect(other.registeredObject(for: guest.objectID) === regular)
  }

  @Test("key paths of a class that overrides the initializer are those of its properties (B19)")
  func pathsOfOverridingClass() throws {
    #expect(RegularVisitor.propertyPath(for: \RegularVisitor.visits) == ["visits"])
    #expect(RegularVisitor.propertyPath(for: \RegularVisitor.name) == ["name"])
    #expect(Restless.propertyPath(for: \Restless.count) == ["count"])
    #expect(Restless.propertyPath(for: \Restless.note) == ["note"])
    #expect(
      Restless.propertyPath(for: \Restless.friend?.friend?.wanted)
        == ["friend", "friend", "wanted"])
    #expect(Restless.propertyPath(for: \Restless.others) == ["others"])
  }

  @Test("what an override sets in a new object is its value, and records keep theirs (B19, B32)")
  func settingOverride() throws {
    let container = try PersistentContainer(
      name: "a", model: ManagedObjectModel(Restless.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let (one, two) = (Restless(context: context), Restless(context: context))
    #expect(one.count == 2 && one.note == "begun" && one.wanted == true)
    one.friend = two
    one.count = 7
    try context.save()

    let other = container.newBackgroundContext()
    let request = FetchRequest<Restless>(entityName: "Restless").where { $0.count > 2 }
      .sorted(by: \.note)
    let found = try other.fetch(request)
    // The override has read the relationships while the object was made: each record still has one object.
    #expect(found.count == 1 && found.first?.friend?.others == Set(found))
    #expect(other.registeredObjects.count == 2 && !other.hasChanges)
  }

  @Test("an override that hands on something else ends the process when a record is fetched (B32)")
  func selfishOverride() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let container = try PersistentContainer(
        name: "a", model: ManagedObjectModel(Selfish.self), stores: [.inMemory()])
      try container.loadPersistentStores()
      let context = container.newBackgroundContext()
      context.name = "editing"
      _ = Selfish(context: context)
      try context.save()
      let other = container.newBackgroundContext()
      guard try other.count(for: FetchRequest<Selfish>(entityName: "Selfish")) == 1 else { return }
      _ = try other.fetch(FetchRequest<Selfish>(entityName: "Selfish"))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("hands on the entity and the context"), "\(text)")
  }

  @Test("a stranger to the class is in no relationship (B3)")
  func relationships() throws {
    let library = try Library()
    let context = library.context
    let entity = try #require(library.container.managedObjectModel.entitiesByName["Chapter"])
    let book = Book(context: context)
    let chapter = Chapter(context: context)
    let stranger = Stranger(entity: entity, insertInto: context)
    book.chapters = [chapter]
    try book.mutableOrderedSetValue(forKey: "chapters").append(stranger)
    #expect(book.chapters == [chapter])
    let list = book.mutableList(\.chapters)
    #expect(list.count == 1 && list[0] === chapter)
    #expect(code { try context.save() } == .validationMultipleErrors)
  }

  @Test("an object of a subclass is as good as one of the class (B3)")
  func subclass() throws {
    let library = try Library()
    let entity = try #require(library.container.managedObjectModel.entitiesByName["Author"])
    let author = LocalAuthor(entity: entity, insertInto: library.context)
    author.name = "Ada"
    try library.context.save()
    let request = FetchRequest<Author>(entityName: "Author")
    #expect(try library.context.fetch(request) == [author])
    #expect(try library.context.fetchBatches(request)[0] === author)
  }

  private func faults(of classes: ManagedObject.Type...) throws -> [PersistenceError] {
    do {
      _ = try PersistentStoreCoordinator(managedObjectModel: ManagedObjectModel(classes))
      return []
    } catch let error as PersistenceError {
      #expect(error.code == .invalidModel)
      return error.underlyingErrors
    }
  }

  @Test("a type that nothing is a value of needs an initial value, says the model's check (B43)")
  func missingValues() throws {
    let found = try faults(of: Drawing.self)
    #expect(found.map(\.key) == ["shape"] && found.first?.entityName == "Drawing")
    #expect(found.first?.message.contains("initial value") == true)
    #expect(try faults(of: Sheet.self).isEmpty)
    #expect(try faults(of: Ring.self).map(\.key) == ["loop"])
  }

  @Test("a relationship to objects of another class than the property's is refused as well (B3)")
  func otherDestination() throws {
    let model = try ManagedObjectModel(Author.self, Poet.self, Book.self, Chapter.self)
    try #require(model.entitiesByName["Chapter"]).managedObjectClass = nil
    let error = #expect(throws: PersistenceError.self) {
      _ = try PersistentStoreCoordinator(managedObjectModel: model)
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.underlyingErrors.map(\.key) == ["chapters"])
  }
}
