// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Results of batch requests.
extension BatchCases {
  static let results: [ConformanceCase] = [
    company("results-update", "an update answers with a status, IDs or a count (B273)") { stack in
      let request = BatchUpdateRequest(entityName: "Person")
      request.predicate = try FetchPredicate("age == 25")
      request.propertiesToUpdate = ["note": "young"]
      try expectEqual(try stack.context.execute(request).result as? Bool, true, "the status")
      request.resultType = .updatedObjectsCountResultType
      try expectEqual(whole(try stack.context.execute(request).result), 2, "the count")
      request.resultType = .updatedObjectIDsResultType
      let ids = try require(try stack.context.execute(request).result as? [ObjectID])
      try expectEqual(Set(ids), try peopleIDs(["Bob", "Eve"], stack), "the IDs")
      request.predicate = try FetchPredicate("age == 26")
      try expectEqual(try stack.context.execute(request).result as? [ObjectID], [], "no IDs")
      request.resultType = .updatedObjectsCountResultType
      try expectEqual(whole(try stack.context.execute(request).result), 0, "nobody's count")
    },
    company("results-delete", "a deletion answers with a status, IDs or a count (B273)") { stack in
      func delete(_ name: String, _ type: BatchDeleteRequestResultType) throws -> Any? {
        let fetch = FetchRequest<ManagedObject>(entityName: "Person")
        fetch.predicate = try FetchPredicate("name == %@", name)
        let request = BatchDeleteRequest(fetchRequest: fetch)
        request.resultType = type
        return try stack.context.execute(request).result
      }
      let dan = try peopleIDs(["Dan"], stack)
      try expectEqual(try delete("Eve", .resultTypeStatusOnly) as? Bool, true, "the status")
      try expectEqual(whole(try delete("Bob", .resultTypeCount)), 1, "the count")
      let ids = try require(try delete("Dan", .resultTypeObjectIDs) as? [ObjectID])
      try expectEqual(Set(ids), dan, "the IDs")
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Cleo"])
    },
    company("results-insert", "an insertion answers with a status, IDs or a count (B273)") {
      stack in
      func insert(_ names: [String], _ type: BatchInsertRequestResultType) throws -> Any? {
        let request = BatchInsertRequest(
          entityName: "Person", objects: names.map { ["name": $0] })
        request.resultType = type
        return try stack.context.execute(request).result
      }
      try expectEqual(try insert(["F"], .statusOnly) as? Bool, true, "the status")
      try expectEqual(whole(try insert(["G", "H"], .count)), 2, "the count")
      let ids = try require(try insert(["I", "J"], .objectIDs) as? [ObjectID])
      try expect(ids.allSatisfy { !$0.isTemporaryID }, "the IDs are permanent")
      try expectEqual(Set(ids), try peopleIDs(["I", "J"], stack), "the IDs")
    },
    company(
      "results-merged", "the IDs that a batch request answers with can be merged (B217, B273)"
    ) { stack in
      let context = stack.context
      let (bob, eve) = (try context.named("Person", "Bob"), try context.named("Person", "Eve"))
      for person in [bob, eve] { _ = try person.get("age") }
      let update = BatchUpdateRequest(entityName: "Person")
      update.predicate = try FetchPredicate("name == 'Bob'")
      update.propertiesToUpdate = ["age": 77]
      update.resultType = .updatedObjectIDsResultType
      let updated = try require(try context.execute(update).objectIDs)
      let fetch = FetchRequest<ManagedObject>(entityName: "Person")
      fetch.predicate = try FetchPredicate("name == 'Eve'")
      let deletion = BatchDeleteRequest(fetchRequest: fetch)
      deletion.resultType = .resultTypeObjectIDs
      let deleted = try require(try context.execute(deletion).result as? [ObjectID])
      try expectEqual(try bob.number("age"), 25, "before the merge")
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: ["updated": updated, "deleted": deleted], into: [context])
      try expectEqual(try bob.number("age"), 77, "after the merge")
      try expect(eve.managedObjectContext == nil, "the deleted object has left")
      try expect(!context.hasChanges, "nothing is pending")
    },
  ]

  private static func peopleIDs(
    _ names: [String], _ stack: ConformanceStack
  ) throws -> Set<ObjectID> {
    let fresh = stack.makeContext()
    return try withExtendedLifetime(fresh) {
      Set(try names.map { try fresh.named("Person", $0).objectID })
    }
  }
}
