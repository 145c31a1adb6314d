// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension BatchCases {
  static let refusals: [ConformanceCase] = [
    ConformanceCase(
      .batch, "read-only",
      "a read-only store refuses batch requests, and nothing is written (B236, B278)",
      needs: [.reopening]
    ) { stage in
      let description = try stage.makeStore()
      let stack = try stage.open(CompanyModel.make(), on: [description])
      try CompanyModel.fill(stack.context)
      stack.close()
      var readOnly = description
      readOnly.isReadOnly = true
      let reader = try stage.open(CompanyModel.make(), on: [readOnly])
      let context = reader.context
      let names = try context.names("Person")
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 1]
      try expectError(.readOnlyStore, "an update") { try context.execute(update) }
      try expectError(.readOnlyStore, "a deletion") {
        try context.execute(
          BatchDeleteRequest(fetchRequest: FetchRequest<ManagedObject>(entityName: "Person")))
      }
      try expectError(.readOnlyStore, "an insertion") {
        try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "Zoe"]]))
      }
      try expectEqual(try context.names("Person"), names)
      try expectEqual(try context.count(for: context.request("Person", "age == 1", [])), 0)
      reader.close()
    },
    company("save-request", "a context executes no save request (B282)") { stack in
      let request = SaveRequest()
      try expectError(.invalidRequest) { try stack.context.execute(request) }
      try expect(!request.wasExecuted, "it is not executed")
    },
  ]

  /// A program's own request type that claims to be a save.
  private final class SaveRequest: ExecutableRequest {
    var wasExecuted = false
    let requestType = PersistentStoreRequestType.saveRequestType
    let affectedStoreIdentifiers: [String]? = nil

    func execute(in context: ManagedObjectContext) throws -> PersistentStoreResult {
      wasExecuted = true
      return try context.execute(BatchUpdateRequest(entityName: "Person"))
    }
  }
}
