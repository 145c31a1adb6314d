// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostModel
import Testing

enum LabelColour: String, AttributeEnumeration, Codable { case red, green }

@Entity final class LabelledIssue: ManagedObject {
  var name: String = ""
  var tags: [String] = []
  var scores: Set<Int>?
  var levels: [Float] = []
  var dates: [Date] = []
  var colours: [LabelColour] = []
  var blanks: [String?] = []
  @Attribute(transformer: "LabelList") var coded: [String] = []
  @Relationship(inverse: \.issues) var board: IssueBoard?
}

@Entity final class IssueBoard: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \.board) var issues: Set<LabelledIssue>
}

/// Tests of typed conditions on the elements of arrays and sets.
@Suite("Elements of collections in typed conditions")
struct ElementQueryTests {
  private static func filled() throws -> ManagedObjectContext {
    TransformableCodec.register("LabelList", [String].self)
    let container = try PersistentContainer(
      name: "labels", model: ManagedObjectModel(LabelledIssue.self, IssueBoard.self),
      stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let a = LabelledIssue(context: context)
    (a.name, a.tags, a.scores, a.colours) = ("a", ["urgent", "door"], [1, 9], [.red])
    a.board = IssueBoard(context: context)
    let b = LabelledIssue(context: context)
    (b.name, b.tags, b.scores, b.colours) = ("b", ["later"], [5], [.green, .red])
    (b.levels, b.dates) = ([0.1, 2.5], [Date(timeIntervalSinceReferenceDate: 0.1)])
    let c = LabelledIssue(context: context)
    c.name = "c"
    try context.save()
    return context
  }

  private static func names(
    _ condition: (QueryObject<LabelledIssue>) -> FetchPredicate
  ) throws -> String {
    let context = try filled()
    return try withExtendedLifetime(context) {
      try context.fetch(LabelledIssue.where(condition).sorted(by: \.name)).map(\.name).joined()
    }
  }

  @Test("any, all, contains and the numbers of elements are conditions (B64)")
  func conditions() throws {
    #expect(try Self.names { $0.tags.contains("urgent") } == "a")
    #expect(try Self.names { $0.tags.contains(anyOf: ["door", "later"]) } == "ab")
    #expect(try Self.names { $0.tags.any.hasPrefix("LA", .caseInsensitive) } == "b")
    #expect(try Self.names { !$0.tags.contains("later") } == "ac")
    #expect(try Self.names { $0.scores.all >= 5 } == "bc")
    #expect(try Self.names { $0.scores.any > 5 && $0.tags.count == 2 } == "a")
    #expect(try Self.names { $0.scores.sum == 10 } == "a")
    #expect(try Self.names { $0.scores.max > 5 } == "a")
    #expect(try Self.names { $0.scores.average == 5 } == "ab")
    #expect(try Self.names { $0.tags.isEmpty } == "c")
    #expect(try Self.names { $0.colours.contains(.red) } == "ab")
    #expect(try Self.names { $0.colours.any == .green } == "b")
  }

  @Test("a half-open range holds one element: not one above its start and one below its end (B64)")
  func halfOpenRanges() throws {
    #expect(try Self.names { $0.scores.any.in(2..<9) } == "b")
    #expect(try Self.names { $0.scores.any.in(1..<9) } == "ab")
    #expect(try Self.names { (2..<5) ~= $0.scores.any } == "")
    #expect(try Self.names { !$0.scores.any.in(2..<9) } == "ac")
    #expect(try Self.names { $0.scores.any.in(Int.min..<Int.min) } == "")
    #expect(try Self.names { $0.scores.all.in(1..<10) } == "abc")
    #expect(try Self.names { $0.levels.any.in(0.2..<2.5) } == "")
    #expect(try Self.names { $0.levels.any.in(0.2..<Float(2.5).nextUp) } == "b")
    let moment = Date(timeIntervalSinceReferenceDate: 0.1)
    #expect(try Self.names { $0.dates.any.in(.distantPast..<moment) } == "")
    #expect(try Self.names { $0.dates.any.in(moment..<moment + 1) } == "b")
    #expect(throws: PersistenceError(.invalidRequest, "")) {
      try Self.names { $0.tags.any.in("a"..<"b") }
    }
  }

  @Test("the elements of a list of Float values are compared as they were stored (B64)")
  func floats() throws {
    #expect(try Self.names { $0.levels.contains(0.1) } == "b")
    #expect(try Self.names { $0.levels.any < 0.1 } == "")
    #expect(try Self.names { $0.levels.min == 0.1 } == "b")
  }

  @Test("a collection is asked for behind a relationship (B64)")
  func behindRelationships() throws {
    let context = try Self.filled()
    try withExtendedLifetime(context) {
      let boards = try context.fetch(
        IssueBoard.where { $0.issues.any { $0.tags.contains("door") } })
      #expect(boards.count == 1)
      let none = try context.fetch(IssueBoard.where { $0.issues.any { $0.tags.contains("later") } })
      #expect(none.isEmpty)
    }
  }

  @Test("collections of optional or otherwise encoded values have no elements (B64)")
  func declarations() throws {
    let model = try ManagedObjectModel(LabelledIssue.self, IssueBoard.self)
    let attributes = try #require(model.entitiesByName["LabelledIssue"]).attributesByName
    #expect(attributes["tags"]?.elementType == .string)
    #expect(attributes["scores"]?.elementType == .integer64)
    #expect(attributes["colours"]?.elementType == .string)
    #expect(attributes["blanks"]?.elementType == nil)
    #expect(attributes["coded"]?.elementType == nil)
    let context = try Self.filled()
    try withExtendedLifetime(context) {
      let request = LabelledIssue.fetchRequest() as FetchRequest<LabelledIssue>
      request.predicate = try FetchPredicate("ANY coded == 'x'")
      #expect { try context.fetch(request) } throws: {
        ($0 as? PersistenceError)?.code == .invalidValue
          || ($0 as? PersistenceError)?.code == .invalidRequest
      }
    }
  }

  @Test("#Predicate asks whether a collection contains a value (B64)")
  func foundationPredicates() throws {
    let context = try Self.filled()
    try withExtendedLifetime(context) {
      let request = LabelledIssue.fetchRequest() as FetchRequest<LabelledIssue>
      request.predicate = try FetchPredicate(
        #Predicate<LabelledIssue> { $0.tags.contains("later") })
      #expect(try context.fetch(request).map(\.name) == ["b"])
    }
  }

  @Test("the canonical text of a model keeps the type of the elements (M5)")
  func canonicalText() throws {
    let model = try ManagedObjectModel(LabelledIssue.self, IssueBoard.self)
    let read = try CanonicalModel(model).model()
    let attributes = try #require(read.entitiesByName["LabelledIssue"]).attributesByName
    #expect(attributes["tags"]?.elementType == .string)
    #expect(attributes["coded"]?.elementType == nil)
  }
}
