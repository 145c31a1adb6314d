// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Remedies after a uniqueness conflict.
extension ConstraintCases {
  /// Two objects of one context that claim the unique value of a stored record.
  private static func taken(
    _ name: String, _ words: String, left: [String],
    _ mend: @escaping @Sendable (ManagedObjectContext, PersistenceError) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .constraints, "way-out.\(name)",
      "after a unique value was taken \(words), and the save is written (B190, B191, B362)",
      needs: [.uniqueness]
    ) { stage in
      let stack = try stage.open(UniqueModel.make())
      let holder = try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      let context = stack.makeContext()
      let wanting = try context.make("Account", ["name": "b", "email": "x"])
      let error = try expectError(.managedObjectConstraintMerge, "the save") { try context.save() }
      try expectEqual(
        Set(error.objectIDs), [wanting.objectID, holder.objectID], "who wants it and who has it")
      try mend(context, error)
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), left, "the accounts")
      try expectEqual(try stack.context.all("Account", "email == 'x'").count, 1, "who has it now")
    }
  }

  static let waysOut: [ConformanceCase] = [
    taken("changed", "the object gets another value", left: ["a", "b"]) { context, error in
      for object in error.objectIDs.map(context.object(with:)) where object.isInserted {
        try object.set("email", "y")
      }
    },
    taken("deleted", "the object is deleted", left: ["a"]) { context, error in
      for object in error.objectIDs.map(context.object(with:)) where object.isInserted {
        context.delete(object)
      }
    },
    taken("policy", "a merge policy decides", left: ["b"]) { context, _ in
      context.mergePolicy = .mergeByPropertyObjectTrump
    },
  ]
}
