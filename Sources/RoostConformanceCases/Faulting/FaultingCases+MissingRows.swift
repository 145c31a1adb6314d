// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Rows that are missing in the store, and objects that are not needed any more.
extension FaultingCases {
  /// A case with Bob as a fault whose row is missing in the store.
  private static func missing(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ManagedObjectContext, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.faulting, "missing-row.\(name)", title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      context.stalenessInterval = 0
      try withExtendedLifetime(context) {
        let bob = context.object(with: try stack.context.named("Person", "Bob").objectID)
        faults.failRead(number: 1, lying: true)
        try body(context, bob)
        try expectEqual(faults.fired, 1, "the reads that were answered with nothing")
      }
      faults.clear()
    }
  }

  static let missingRows: [ConformanceCase] = [
    missing("deleted", "a row that the store does not have makes a fault inaccessible (B43, B328)")
    {
      context, bob in
      try expectExact(try bob.get("age"), .null)
      try expect(bob.isDeleted, "the object is deleted")
      try expect(context.deletedObjects.contains(bob), "it is one of the deleted objects")
      try expect(context.readError == nil, "it is no failed read")
    },
    missing(
      "existing", "an object that must exist is refused when the store has no row (B42, B328)"
    ) { context, bob in
      try expectError(.objectReferentialIntegrity) {
        _ = try context.existingObject(with: bob.objectID)
      }
    },
  ]

  private static func refreshAll(of context: ManagedObjectContext) throws {
    for object in context.registeredObjects { try context.refresh(object, mergeChanges: false) }
    context.processPendingChanges()
  }

  static let lettingGo: [ConformanceCase] = [
    ConformanceCase(
      .faulting, "let-go-afterwards",
      "changed objects are kept until they are saved, rolled back or refreshed, and no longer (B45)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      try withExtendedLifetime(context) {
        func change() throws {
          try context.named("Person", "Ada").set("age", 1)
          context.delete(try context.named("Person", "Eve"))
          try context.make("Person", ["name": "Zoe"])
          context.processPendingChanges()
        }
        func expectKept(_ count: Int, _ when: String) throws {
          try expectEqual(context.registeredObjects.count, count, "the objects \(when)")
        }
        try change()
        try expectKept(3, "while they are changed")
        context.rollback()
        try expectKept(0, "after the rollback")
        try change()
        try expectKept(3, "while they are changed again")
        try context.save()
        try expectKept(0, "after the save")
        try context.named("Person", "Bob").set("age", 1)
        try refreshAll(of: context)
        try expectKept(0, "after the refresh")
        context.retainsRegisteredObjects = true
        _ = try context.all("Person")
        try expectKept(5, "when all are to be kept")
        context.retainsRegisteredObjects = false
        try expectKept(0, "when they are not any more")
      }
    }
  ]
}
