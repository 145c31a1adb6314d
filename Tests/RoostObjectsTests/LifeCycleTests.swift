// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct LifeCycleTests {
  @Test("refresh and rollback awaken an object with change tracking off (B112, B114, B116)")
  func snapshotEvents() throws {
    let library = try Library()
    let author = try library.author(withBooks: 0)
    author.name = "Bob"
    try library.context.refresh(author, mergeChanges: true)
    #expect(author.events == [.refresh] && author.name == "Bob" && author.draft == "made anew")
    author.draft = "mine"
    library.context.rollback()
    #expect(author.events == [.refresh, .rollback] && author.name == "Ada")
    #expect(author.draft == "made anew" && !author.hasChanges && !library.context.hasChanges)
  }

  @Test("an object that was a fault is not awakened from a snapshot, but from the fetch (B118)")
  func faultIsNotAwakened() throws {
    let library = try Library()
    let author = try library.author(withBooks: 0)
    _ = author.name
    try library.context.refresh(author, mergeChanges: false)
    #expect(author.isFault && author.events.isEmpty)
    library.context.delete(author)
    library.context.rollback()
    #expect(author.name == "Ada")
  }

  @Test("a fault whose record is gone is decided upon one by one (B43)")
  func inaccessibleFaults() throws {
    for handles in [true, false] {
      let library = try Library()
      let author = try library.author(withBooks: 0)
      let other = library.anotherContext()
      other.delete(other.object(with: author.objectID))
      try other.save()
      var asked: [ObjectID] = []
      library.context.shouldDeleteInaccessibleFaults = !handles
      library.context.shouldHandleInaccessibleFault = { object, id in
        #expect(object === author)
        asked.append(id)
        return handles
      }
      #expect(author.name.isEmpty)
      #expect(asked == [author.objectID])
      #expect(author.isDeleted == handles)
      let error = code { try library.context.save() }
      #expect(error == (handles ? nil : .objectReferentialIntegrity))
    }
  }

  @Test("the bits of the events are Core Data's")
  func bits() {
    let events: [SnapshotEventType] = [
      .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
    ]
    #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
  }

  @Test("what awakeFromFetch sets is no change, after every fulfilment, and keeps no inverse (B48)")
  func awakeFromFetchIsQuiet() throws {
    let stack = try Stack()
    let first = Witness(context: stack.context)
    try stack.context.save()
    for _ in 0..<2 {
      try stack.context.refresh(first, mergeChanges: false)
      #expect(first.stamp == 77)
      #expect(!first.hasChanges && !stack.context.hasChanges)
    }
    #expect(first.calls.filter { $0 == "awakeFromFetch" }.count == 2)
    #expect(first.changedValues().isEmpty)
  }

  @Test("prepareForDeletion runs again on a second delete (B83)")
  func prepareTwice() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    try stack.context.save()
    stack.context.delete(witness)
    stack.context.delete(witness)
    #expect(witness.calls.filter { $0 == "prepareForDeletion" }.count == 2)
    try stack.context.save()
    #expect(witness.managedObjectContext == nil)
  }

  @Test("values are there in willTurnIntoFault and gone in didTurnIntoFault (B47, B118)")
  func turningIntoFaults() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.title = "x"
    try stack.context.save()
    witness.calls = []
    try stack.context.refresh(witness, mergeChanges: false)
    _ = witness.title
    try stack.context.refresh(witness, mergeChanges: false)
    _ = witness.title
    #expect(
      witness.calls == [
        "willTurnIntoFault false", "didTurnIntoFault true", "awakeFromFetch",
        "willTurnIntoFault false", "didTurnIntoFault true", "awakeFromFetch",
      ])
  }
}

@Suite struct ClassCheckTests {
  private func message(_ edit: (EntityDescription) -> Void) throws -> String? {
    let model = try ManagedObjectModel(Author.self, Poet.self, Book.self, Chapter.self)
    let entity = try #require(model.entitiesByName["Author"])
    edit(entity)
    do {
      _ = try PersistentStoreCoordinator(managedObjectModel: model)
      return nil
    } catch let error as PersistenceError {
      #expect(error.code == .invalidModel)
      return error.underlyingErrors.first.map { "\($0.entityName ?? "") \($0.key ?? "")" }
    }
  }

  @Test("a class whose property its entity lacks is refused when the coordinator is made (B3)")
  func missingProperty() throws {
    #expect(try message { _ in } == nil)
    #expect(
      try message { entity in entity.properties.removeAll { $0.name == "age" } } == "Author age")
  }

  @Test("a class whose property is of another type in its entity is refused as well (B3)")
  func otherType() throws {
    let found = try message { entity in
      let other = AttributeDescription(name: "age", type: .string)
      entity.properties = entity.declaredProperties.map { $0.name == "age" ? other : $0 }
    }
    #expect(found == "Author age")
    let relationship = try message { entity in
      let other = AttributeDescription(name: "shelf", type: .string)
      entity.relationshipsByName["shelf"]?.inverseRelationship?.inverseRelationship = nil
      entity.properties = entity.declaredProperties.map { $0.name == "shelf" ? other : $0 }
    }
    #expect(relationship == "Author shelf")
  }
}
