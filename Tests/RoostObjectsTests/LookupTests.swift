// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Questions of one line")
struct LookupTests {
  let tracker: Tracker
  var context: ManagedObjectContext { tracker.context }

  init() throws {
    tracker = try Tracker()
    try tracker.seed(5)
  }

  @Test("the first object of a request is fetched alone, and the request is left as it is")
  func first() throws {
    let request = Errand.fetchRequest().sorted(by: \.number, ascending: false)
    request.fetchLimit = 3
    #expect(try context.first(request)?.number == 4)
    #expect(context.counters.rowsFetched == 1)
    #expect(request.fetchLimit == 3)
    #expect(try context.first(request.offset(4))?.number == 0)
    #expect(try context.first(Errand.where { $0.number > 10 }) == nil)
  }

  @Test("whether a request matches is asked without reading a row, unsaved changes included")
  func exists() throws {
    let request = Errand.where { $0.title == "new" }.sorted(by: \.number)
    #expect(try !context.exists(request))
    let errand = Errand(context: context)
    errand.title = "new"
    #expect(try context.exists(request))
    context.delete(errand)
    #expect(try !context.exists(request))
    #expect(context.counters.rowsFetched == 0)
    #expect(try context.exists(Errand.fetchRequest().offset(4)))
    #expect(try !context.exists(Errand.fetchRequest().offset(5)))
    #expect(request.fetchLimit == 0 && request.sortDescriptors?.count == 1)
    let unknown = FetchRequest<ObjectID>(entityName: "Nothing")
    #expect(code { _ = try context.exists(unknown) } == .unknownEntity)
  }

  @Test("objects of a class are counted, with and without a condition")
  func count() throws {
    #expect(try context.count(Errand.self) == 5)
    #expect(try context.count(Errand.self) { $0.number >= 3 } == 2)
    _ = Repair(context: context)
    #expect(try context.count(Errand.self) == 6)
    #expect(try context.count(Repair.self) == 1)
    #expect(code { _ = try context.count(Employee.self) } == .unknownEntity)
  }

  @Test("an object is found by a value, by a case and by its destination")
  func find() throws {
    #expect(try context.find(Errand.self, \.title, "3")?.number == 3)
    #expect(try context.find(Errand.self, \.points, nil)?.number == 0)
    #expect(try context.find(Errand.self, \.points, 7) == nil)
    #expect(try context.find(Errand.self, \.state, .open)?.number == 0)
    #expect(try context.find(Errand.self, \.state, .closed) == nil)
    let venture = Venture(context: context)
    let errand = try #require(try context.find(Errand.self, \.number, 2))
    errand.venture = venture
    venture.name = "Roost"
    #expect(try context.find(Errand.self, \.venture, venture) === errand)
    #expect(try context.find(Errand.self, \.venture?.name, "Roost") === errand)
    #expect(try context.find(Errand.self, \.venture, nil)?.number == 0)
    errand.title = "changed"
    #expect(try context.find(Errand.self, \.title, "changed") === errand)
    #expect(try context.find(Errand.self, \.title, "2") == nil)
  }

  @Test("what is not there is made once, also when nothing was saved yet")
  func findOrCreate() throws {
    let stored = try context.findOrCreate(Errand.self, \.number, 3) { _ in Errand.fail() }
    #expect(stored.title == "3" && !context.hasChanges)
    let made = try context.findOrCreate(Errand.self, \.number, 9) { $0.title = "nine" }
    #expect(made.isInserted && made.title == "nine" && made.number == 9)
    let again = try context.findOrCreate(Errand.self, \.number, 9) { _ in Errand.fail() }
    #expect(again === made)
    context.delete(made)
    let anew = try context.findOrCreate(Errand.self, \.number, 9)
    #expect(anew !== made && anew.title == "")
    context.delete(stored)
    let replacement = try context.findOrCreate(Errand.self, \.number, 3)
    #expect(replacement !== stored)
    try context.save()
    #expect(try tracker.anotherContext().count(Errand.self) == 6)
    let closed = try context.findOrCreate(Errand.self, \.state, .closed) { $0.number = 20 }
    #expect(try context.findOrCreate(Errand.self, \.state, .closed) === closed)
  }

  @Test("an object is found or made by several properties, relationships among them")
  func matching() throws {
    let roost = Venture(context: context)
    roost.name = "Roost"
    let made = try context.findOrCreate(
      Errand.self,
      matching: [.equal(\.title, "t"), .equal(\.state, .waiting), .equal(\.venture, roost)]
    ) { $0.number = 30 }
    #expect(made.isInserted && made.title == "t" && made.state == .waiting)
    #expect(made.venture === roost && roost.errands == [made])
    let matches: [PropertyMatch<Errand>] = [.equal(\.title, "t"), .equal(\.venture, roost)]
    let again = try context.findOrCreate(Errand.self, matching: matches) { _ in Errand.fail() }
    #expect(again === made)
    try context.save()
    #expect(try context.find(Errand.self, matching: matches) === made)
    let nowhere: [PropertyMatch<Errand>] = [.equal(\.title, "t"), .equal(\.venture, nil)]
    #expect(try context.find(Errand.self, matching: nowhere) == nil)
    #expect(try context.findOrCreate(Errand.self, \.venture, roost) === made)
    context.delete(made)
    let anew = try context.findOrCreate(Errand.self, \.venture, roost) { $0.number = 31 }
    #expect(anew !== made && anew.venture === roost)
  }

  @Test("the first object and the existence of one are asked for with a condition")
  func conditions() throws {
    #expect(try context.first(Errand.self) { $0.number == 3 }?.title == "3")
    #expect(try context.first(Errand.self) { $0.number == 300 } == nil)
    #expect(try context.exists(Errand.self) { $0.number == 3 })
    #expect(try !context.exists(Errand.self) { $0.number == 300 })
  }

  @Test("a closure that throws leaves no object behind")
  func failedCreation() throws {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try context.findOrCreate(Errand.self, \.number, 9) { _ in throw Refused() }
    }
    #expect(!context.hasChanges)
    #expect(try context.find(Errand.self, \.number, 9) == nil)
  }

  @Test("no object of an abstract entity is made, and one of a subentity is found")
  func abstractEntity() throws {
    #expect(code { _ = try context.findOrCreate(Figure.self, \.label, "a") } == .abstractEntity)
    #expect(!context.hasChanges)
    let disc = Disc(context: context)
    disc.label = "a"
    #expect(try context.findOrCreate(Figure.self, \.label, "a") === disc)
  }

  @Test("of two contexts that make the same object, the second one to save gets the conflict")
  func race() throws {
    let other = tracker.anotherContext()
    try withExtendedLifetime(other) {
      _ = try context.findOrCreate(Errand.self, \.number, 9) { $0.title = "here" }
      _ = try other.findOrCreate(Errand.self, \.number, 9) { $0.title = "there" }
      try context.save()
      #expect(code { try other.save() } == .managedObjectConstraintMerge)
      other.rollback()
      #expect(try other.findOrCreate(Errand.self, \.number, 9).title == "here")
    }
  }

  @Test("an object of an ID comes as its class, and that of another one is an error")
  func typedObjects() throws {
    let id = try #require(try context.first(Errand.fetchRequest())).objectID
    #expect(try context.object(Errand.self, with: id).number == 0)
    #expect(try context.existingObject(Errand.self, with: id).number == 0)
    #expect(code { _ = try context.object(Repair.self, with: id) } == .invalidRequest)
    #expect(code { _ = try context.existingObject(Venture.self, with: id) } == .invalidRequest)
    let repair = Repair(context: context)
    #expect(try context.object(Errand.self, with: repair.objectID) === repair)
    let errand = try context.object(Errand.self, with: id)
    context.delete(errand)
    try context.save()
    #expect(
      code { _ = try context.existingObject(Errand.self, with: id) } == .objectReferentialIntegrity)
  }
}

extension Errand {
  /// Marks a closure that must not be called.
  static func fail() { Issue.record("The object was there.") }
}

@Suite("Requests as sentences")
struct RequestChainTests {
  @Test("each method of a chain returns a copy, and leaves its request as it is")
  func copies() throws {
    let base = FetchRequest<Errand>(entityName: "Errand")
    base.fetchBatchSize = 10
    let before = base.description
    let chained = try base.where { $0.number > 1 }.filter("title != %@", "x")
      .filter(FetchPredicate(Errand.self) { $0.number < 100 })
      .sorted(by: \.number).sorted(by: "title")
      .sorted(by: SortOrdering("created"), SortOrdering("state")).limit(3).offset(2)
      .prefetching("venture").prefetching(\.venture)
    #expect(base.description == before && base.relationshipKeyPathsForPrefetching == nil)
    #expect(base.predicate == nil && base.sortDescriptors == nil)
    #expect(chained.fetchBatchSize == 10 && chained.fetchLimit == 3 && chained.fetchOffset == 2)
    #expect(chained.sortDescriptors?.map(\.key) == ["number", "title", "created", "state"])
    #expect(chained.relationshipKeyPathsForPrefetching == ["venture", "venture"])
    chained.fetchLimit = 5
    #expect(base.fetchLimit == 0 && chained.fetchLimit == 5)
  }

  @Test("one request is the beginning of several")
  func branches() throws {
    let tracker = try Tracker()
    try tracker.seed(6)
    let open = Errand.where { $0.state == .open }.sorted(by: \.number)
    let first = open.limit(2)
    let rest = open.offset(2)
    #expect(try tracker.context.fetch(first).map(\.number) == [0, 1])
    #expect(try tracker.context.fetch(rest).map(\.number) == [2, 3, 4, 5])
    #expect(try tracker.context.fetch(open).count == 6)
  }

  @Test("a key path that names no relationship is refused by the copy alone")
  func refusal() throws {
    let tracker = try Tracker()
    let base = Errand.fetchRequest()
    let wrong = base.prefetching(\Errand.title.count)
    #expect(code { _ = try tracker.context.fetch(wrong) } == .invalidRequest)
    #expect(try tracker.context.fetch(base).isEmpty)
  }
}
