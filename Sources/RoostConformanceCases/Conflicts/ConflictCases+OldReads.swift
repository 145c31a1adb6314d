// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Relationships that a context has read before another writer changed them: no save writes them back.
extension ConflictCases {
  static let oldReads: [ConformanceCase] =
    equalDestinations + [
      two(
        "outdated.partial", "a destination read from a partial object is not written (B132, B176)"
      ) { stack, context, other in
        let bob = try partial(context, "Bob", ["name", "department"])
        try expectEqual(try bob.one("department")?.text("name"), "Research")
        try move("Bob", to: "Sales", other)
        try bob.set("note", "x")
        try context.save()
        try expectEqual(try department(of: "Bob", stack), "Sales")
      },
      two("outdated.partial-merged", "a merge makes a partial object read its values anew (B213)") {
        _, context, other in
        context.automaticallyMergesChangesFromParent = true
        let bob = try partial(context, "Bob", ["name", "age"])
        try expectEqual(try bob.number("age"), 25)
        try other.named("Person", "Bob").set("age", 26)
        try other.save()
        context.processPendingChanges()
        try expectEqual(try bob.number("age"), 26)
      },
      two(
        "outdated.deleted-owner", "a deletion severs a member that has come meanwhile (B85)"
      ) { stack, context, other in
        let eve = try context.named("Person", "Eve")
        let cleo = try context.named("Person", "Cleo")
        try expectEqual(try eve.one("department") == nil, true)
        try expectEqual(try cleo.one("department")?.text("name"), "Sales")
        try move("Eve", to: "Research", other)
        try move("Cleo", to: "Research", other)
        context.delete(try context.named("Department", "Research"))
        try context.save()
        try expectEqual(try department(of: "Eve", stack), nil)
        try expectEqual(try department(of: "Cleo", stack), nil)
        try expectEqual(try context.named("Department", "Sales").names("people"), ["Dan"])
      },
      two("outdated.removed-member", "a member that has come meanwhile is removed (B68)") {
        stack, context, other in
        let eve = try context.named("Person", "Eve")
        try expectEqual(try eve.one("department") == nil, true)
        try move("Eve", to: "Research", other)
        try context.named("Department", "Research").remove(eve, from: "people")
        try context.save()
        try expectEqual(try department(of: "Eve", stack), nil)
      },
      two("outdated.removed-changed", "a changed member that came meanwhile conflicts (B68, B175)")
      {
        stack, context, other in
        let cleo = try context.named("Person", "Cleo")
        try cleo.set("age", 60)
        try expectEqual(try cleo.one("department")?.text("name"), "Sales")
        try move("Cleo", to: "Research", other)
        try context.named("Department", "Research").remove(cleo, from: "people")
        try expectConflict(context, [cleo])
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        try expectEqual(try department(of: "Cleo", stack), nil)
      },
    ]

  private static let equalDestinations: [ConformanceCase] = [
    equalDestination("refresh", "a refresh") { context, bob in
      try context.refresh(bob, mergeChanges: true)
    },
    equalDestination("merge", "a merge") { context, _ in
      context.automaticallyMergesChangesFromParent = true
      context.processPendingChanges()
    },
    equalDestination("object-trump", "a conflict") { context, _ in
      context.mergePolicy = .mergeByPropertyObjectTrump
    },
    equalDestination("store-trump", "a conflict in favour of the store") { context, _ in
      context.mergePolicy = .mergeByPropertyStoreTrump
    },
  ]

  /// A to-one relationship is set to the destination that it has, and another context changes it.
  private static func equalDestination(
    _ name: String, _ event: String,
    _ body: @escaping @Sendable (ManagedObjectContext, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    two(
      "equal-destination.\(name)",
      "after \(event), an equal destination does not stand against the store's (B55, B116)"
    ) { stack, context, other in
      let bob = try context.named("Person", "Bob")
      if name == "merge" { context.automaticallyMergesChangesFromParent = true }
      try bob.set("department", try bob.one("department"))
      try bob.set("note", "x")
      try move("Bob", to: "Sales", other)
      try body(context, bob)
      try context.save()
      try expectEqual(try department(of: "Bob", stack), "Sales")
      try expectEqual(try bob.one("department")?.text("name"), "Sales")
      try expectEqual(try stack.makeContext().named("Person", "Bob").text("note"), "x")
    }
  }

  private static func partial(
    _ context: ManagedObjectContext, _ name: String, _ properties: [String]
  ) throws -> ManagedObject {
    let request = try context.request("Person", "name == '\(name)'", [])
    request.propertiesToFetch = properties
    return try require(try context.fetch(request).first, name)
  }

  private static func move(
    _ person: String, to department: String, _ context: ManagedObjectContext
  ) throws {
    try context.named("Person", person).set(
      "department", try context.named("Department", department))
    try context.save()
  }

  private static func department(
    of person: String, _ stack: ConformanceStack
  ) throws -> String? {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    return try fresh.named("Person", person).one("department")?.text("name")
  }
}
