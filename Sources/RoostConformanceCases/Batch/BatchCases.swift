// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Requests that go past the contexts.
enum BatchCases {
  static let all: [ConformanceCase] =
    updates + deletions + insertions + upserts + insertionsOfValues + refusals + relatives + results
    + bothWays + statements + many

  static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.batch, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try body(stack)
    }
  }

  private static let updates: [ConformanceCase] = [
    company(
      "update-constant", "a constant is written to all records that match (B274)"
    ) { stack in
      let request = BatchUpdateRequest(entityName: "Person")
      request.predicate = try FetchPredicate("age >= 30")
      request.propertiesToUpdate = ["isActive": false, "note": NSNull(), "salary": 1]
      request.resultType = .updatedObjectsCountResultType
      try expectEqual(try stack.context.execute(request).count, 2, "the number of records")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person", "isActive == 0"), ["Ada", "Bob", "Dan"])
      try expectEqual(try stack.context.names("Person", "salary == 1"), ["Ada", "Dan"])
    },
    company(
      "update-expression", "an expression sees the record as it was before (B274)"
    ) { stack in
      let request = BatchUpdateRequest(entityName: "Person")
      request.propertiesToUpdate = [
        "age": try FetchExpression(format: "age + 1"),
        "salary": try FetchExpression(format: "age * 2"),
      ]
      request.predicate = try FetchPredicate("age != nil")
      try stack.context.execute(request)
      try stack.readAnew()
      let bob = try stack.context.named("Person", "Bob")
      try expectEqual(try bob.get("age"), .integer(26))
      try expectEqual(try bob.get("salary"), .double(50))
    },
    company(
      "update-relationship", "a condition may lead through relationships (B274)"
    ) { stack in
      let request = BatchUpdateRequest(entityName: "Person")
      request.predicate = try FetchPredicate("department.name == 'Sales'")
      request.propertiesToUpdate = ["note": "sold"]
      try stack.context.execute(request)
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person", "note == 'sold'"), ["Cleo", "Dan"])
    },
    company(
      "update-silent",
      "objects in memory keep their values until they are refreshed, and no hook runs (B272)"
    ) { stack in
      let ada = try stack.context.named("Person", "Ada")
      try expectEqual(try ada.get("age"), .integer(36))
      let request = BatchUpdateRequest(entityName: "Person")
      request.propertiesToUpdate = ["age": 1]
      request.resultType = .updatedObjectIDsResultType
      let ids = try require(try stack.context.execute(request).objectIDs, "the IDs")
      try expectEqual(ids.count, 5, "the number of IDs (B273)")
      try expect(!stack.context.hasChanges, "the context has no changes")
      try expectEqual(try ada.get("age"), .integer(36))
      stack.context.stalenessInterval = 0
      try stack.context.refresh(ada, mergeChanges: false)
      try expectEqual(try ada.get("age"), .integer(1))
    },
    company(
      "update-version", "a batch update is a change like any other to who saves later (B189, B274)"
    ) { stack in
      let ada = try stack.context.named("Person", "Ada")
      let before = try stack.version(of: ada)
      try ada.set("note", "mine")
      let request = BatchUpdateRequest(entityName: "Person")
      request.propertiesToUpdate = ["age": 1]
      try stack.context.execute(request)
      try expectEqual(try stack.version(of: ada), before + 1, "the version")
      try expectError(.managedObjectMerge, "the save") { try stack.context.save() }
    },
    company(
      "update-refusals", "what cannot be set is refused, and nothing is written (B274, B277)"
    ) { stack in
      func expectRefusal(_ code: PersistenceError.Code, _ values: [AnyHashable: Any]?) throws {
        let request = BatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = values
        try expectError(code, "the update of \(values ?? [:])") {
          try stack.context.execute(request)
        }
      }
      try expectRefusal(.unknownKey, ["note": "x", "nonsense": 1])
      try expectRefusal(.invalidRequest, ["note": "x", "department": NSNull()])
      try expectRefusal(.invalidValue, ["note": "x", "age": "old"])
      try expectRefusal(.invalidValue, ["note": "x", "salary": Double.nan])
      try expectRefusal(.invalidValue, ["note": "a\0b"])
      try expectRefusal(.invalidRequest, nil)
      try expectRefusal(
        .invalidValue, ["age": try FetchExpression(format: "age * 4000000000")])
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person", "note != nil"), [], "what was written")
    },
    ConformanceCase(
      .batch, "update-entities", "records of subentities are updated unless left out (B274)"
    ) { stage in
      let stack = try stage.open(UniqueModel.make())
      try stack.context.make("Account", ["name": "a"])
      try stack.context.make("Staff", ["name": "b"])
      try stack.context.save()
      let request = BatchUpdateRequest(entityName: "Account")
      request.propertiesToUpdate = ["realm": "all"]
      request.includesSubentities = false
      try stack.context.execute(request)
      try expectEqual(try stack.makeContext().names("Account", "realm == 'all'"), ["a"])
      request.includesSubentities = true
      try stack.context.execute(request)
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account", "realm == 'all'"), ["a", "b"])
    },
  ]
}
