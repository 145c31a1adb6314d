// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects

/// Batch insertion and upsert of values of an entity class.
extension BatchCases {
  private static func values(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.batch, name, title, needs: [.uniqueness]) { stage in
      try body(try stage.open(try ManagedObjectModel(ValueAccount.self)))
    }
  }

  /// Two accounts, a with a number and an owner, and b.
  @discardableResult
  private static func makeAccounts(
    _ context: ManagedObjectContext
  ) throws -> (a: ValueAccount, b: ValueAccount) {
    let a = ValueAccount(context: context)
    (a.name, a.email, a.realm, a.number) = ("a", "x", "r", 1)
    let b = ValueAccount(context: context)
    (b.name, b.email) = ("b", "y")
    a.owner = b
    try context.save()
    return (a, b)
  }

  private static func account(
    _ name: String, _ stack: ConformanceStack
  ) throws -> ValueAccount {
    let object = try stack.context.named("Account", name)
    guard let account = object as? ValueAccount else {
      throw PersistenceError(.invalidValue, "The object \(name) is of another class.")
    }
    return account
  }

  static let insertionsOfValues: [ConformanceCase] = [
    values("values-insert", "values become records, and no objects are made (B276)") { stack in
      let rows = (0..<50).map { (number: Int64) in
        ValueAccount.Values("n\(number)", email: "e\(number)", number: number)
      }
      let ids = try stack.context.insertBatch(rows)
      try expectEqual(ids.count, 50, "the IDs")
      try expectEqual(stack.context.registeredObjects.count, 0, "the objects")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account").count, 50, "the records")
      let third = try account("n3", stack)
      try expectEqual(third.number, 3)
      try expectEqual(third.email, "e3")
      try expectEqual(third.realm, nil)
    },
    values("values-taken", "a record that is there takes over all values of the row (B276)") {
      stack in
      let a = try makeAccounts(stack.context).a
      let ids = try stack.context.insertBatch([ValueAccount.Values("new", email: "x")])
      try expectEqual(ids, [a.objectID], "the ID of the record")
      try stack.readAnew()
      let new = try account("new", stack)
      try expectEqual(new.number, nil, "a value that the row does not have")
      try expectEqual(new.owner?.name, "b", "the relationship")
    },
    values("values-upsert", "an upsert finds records by one constraint (B276)") { stack in
      let (a, b) = try makeAccounts(stack.context)
      let ids = try stack.context.upsert(
        [
          ValueAccount.Values("first", email: "y", realm: "s", number: 2),
          ValueAccount.Values("new", email: "z"), ValueAccount.Values("none", email: nil),
          ValueAccount.Values("a2", email: "x", realm: "r", number: 1),
          ValueAccount.Values("last", email: "y", realm: "s", number: 3),
        ], by: \.email)
      try expectEqual([ids[0], ids[3], ids[4]], [b.objectID, a.objectID, b.objectID], "the IDs")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["a2", "last", "new", "none"])
      try expectEqual(try account("last", stack).number, 3)
      try expectEqual(try account("a2", stack).owner?.name, "last", "the relationship")
    },
    values("values-upsert-several", "an upsert finds records by several properties (B276)") {
      stack in
      let (a, _) = try makeAccounts(stack.context)
      let row = ValueAccount.Values("c", email: "z", realm: "r", number: 1)
      let ids = try stack.context.upsert([row], by: \.number, \.realm)
      try expectEqual(ids, [a.objectID], "the ID of the record")
      try stack.readAnew()
      try expectEqual(try account("c", stack).email, "z")
    },
    values("values-upsert-passing", "a value that no row has in the end is free (B276)") { stack in
      try makeAccounts(stack.context)
      try stack.context.upsert(
        [
          ValueAccount.Values("c", email: "x", realm: "q", number: 1),
          ValueAccount.Values("d", email: "x", realm: "q", number: 2),
          ValueAccount.Values("e", email: "z", realm: "q", number: 1),
        ], by: \.email)
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["b", "d", "e"])
      try expectEqual(try account("d", stack).number, 2)
    },
    values("values-upsert-other", "a value that another constraint refuses ends an upsert (B276)") {
      stack in
      try makeAccounts(stack.context)
      let taken = ValueAccount.Values("c", email: "x", realm: "q", number: 7)
      let second = ValueAccount.Values("d", email: "z", realm: "q", number: 7)
      for rows in [[ValueAccount.Values("c", email: "z", realm: "r", number: 1)], [taken, second]] {
        try expectError(.managedObjectConstraintMerge, "the upsert") {
          try stack.context.upsert(rows, by: \.email)
        }
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["a", "b"])
    },
  ]
}
