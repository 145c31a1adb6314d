// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests with default isolation: new application targets put all declarations on the main actor unless they say
/// otherwise.
@Suite struct DefaultIsolationTests {
  private static let program = """
    import Foundation
    import Roost
    enum Mood: Int16, AttributeEnumeration { case good, bad }
    @Entity class Person: ManagedObject {
      @Attribute(.indexed, minimum: 1) var name: String = ""
      var mood: Mood = .good
      var born: Date?
      var tags: [String] = []
      @Unmodeled var isSelected = false
      @Relationship(inverse: \\.people) var team: Team?
      func validateName(_ name: inout String) throws { name = name.lowercased() }
      override func willSave() { if name.isEmpty { name = "-" } }
      var title: String { "\\(name) \\(team?.name ?? "")" }
    }
    @Entity final class Member: Person { var number: Int64 = 0 }
    @Entity final class Team: ManagedObject {
      @Attribute(.unique) var name: String = ""
      @Relationship(deleteRule: .cascade, inverse: \\.team) var people: Set<Person>
      override func awakeFromInsert() { super.awakeFromInsert(); name = UUID().uuidString }
    }
    final class Policy: MergePolicy, @unchecked Sendable {
      override func resolve(mergeConflicts list: [any SaveConflict]) throws {
        try super.resolve(mergeConflicts: list)
      }
    }
    @MainActor struct PeopleView {
      let container: PersistentContainer
      func load() throws -> [Person] {
        try container.viewContext.fetch(Person.where { $0.team.name == "x" }.sorted(by: \\.name))
      }
      func rename(_ person: Person) throws {
        person.name = "Ada"
        person.team?.addToPeople(person)
        person.team?.mutableSet(\\.people).insert(person)
        try container.viewContext.save()
      }
      func add() async throws -> ObjectID {
        try await container.performBackgroundTask { context in
          let person = Member(context: context)
          person.name = "b"
          person.mood = .bad
          try context.save()
          return person.objectID
        }
      }
      func wait() async throws {
        try await container.performBackgroundTask { context in
          await Task.yield()
          Team(context: context).name = "c"
          try context.save()
        }
      }
    }
    @MainActor func make() throws -> PersistentContainer {
      let container = try PersistentContainer(
        name: "T", model: ManagedObjectModel(Person.self, Member.self, Team.self))
      try container.loadPersistentStores()
      container.viewContext.mergePolicy = Policy(merge: .errorMergePolicyType)
      let controller = FetchedResultsController(
        fetchRequest: Person.fetchRequest().sorted(by: \\.name),
        managedObjectContext: container.viewContext, sectionNameKeyPath: nil)
      try controller.performFetch()
      return container
    }
    """

  @Test(
    "entity classes compile with the main actor as the default isolation",
    .enabled(if: Compiler.isUsed),
    arguments: [
      ["-default-isolation", "MainActor"],
      ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"],
      [
        "-default-isolation", "MainActor", "-enable-upcoming-feature",
        "NonisolatedNonsendingByDefault", "-enable-upcoming-feature", "InferIsolatedConformances",
      ],
    ])
  func compiles(_ options: [String]) throws {
    let result = try Compiler.check(Self.program, options)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "an object still cannot leave its context there", .enabled(if: Compiler.isUsed))
  func leaks() throws {
    let result = try Compiler.check(
      """
      import Roost
      func leak(_ container: PersistentContainer) throws {
        let request = FetchRequest<ManagedObject>(entityName: "Person")
        let object = try container.viewContext.fetch(request)[0]
        Task.detached { try object.setValue("BAD", forKey: "name") }
      }
      """, ["-default-isolation", "MainActor"])
    #expect(!result.succeeded && result.output.contains("sending"), "\(result.output)")
  }
}
