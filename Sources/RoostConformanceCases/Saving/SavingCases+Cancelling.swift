// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Cancelled saves: a save is either not made or acknowledged; it is never made in part, and its outcome is never left
// open.
extension SavingCases {
  static let cancelling: [ConformanceCase] = [
    ConformanceCase(
      .saving, "cancelled.commit",
      "a save that is cancelled before it is written changes nothing, and can be made again (F20, B169)",
      needs: [.cancellation]
    ) { stage in
      try cancelled(stage, at: .commit)
    },
    ConformanceCase(
      .saving, "cancelled.keys",
      "a save that is cancelled while its new objects get keys changes nothing (F20, B169)",
      needs: [.cancellation]
    ) { stage in
      try cancelled(stage, at: .reserve)
    },
    ConformanceCase(
      .saving, "cancelled.answer",
      "a save that is cancelled after it was written is acknowledged (F20, B169)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.context
      try context.named("Person", "Ada").set("age", 37)
      let cancellation = RequestCancellation()
      faults.interrupt(.answer) { cancellation.cancel() }
      try RequestScope.cancellable(by: cancellation) { try context.save() }
      try expect(!context.hasChanges, "the save is acknowledged")
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 37)
    },
    ConformanceCase(
      .saving, "cancelled.anywhere",
      "a save that is cancelled at any moment is made whole and acknowledged, or not at all (F20, B169)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      var acknowledged = 0
      let context = stack.makeContext()
      for round in 0..<60 {
        for number in 0..<20 {
          try context.make("Person", ["name": "round \(round)", "age": number])
        }
        let cancellation = RequestCancellation()
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(round * 100)) {
          cancellation.cancel()
        }
        do {
          try RequestScope.cancellable(by: cancellation) { try context.save() }
          acknowledged += 1
        } catch let error as PersistenceError where error.code == .userCancelled {
          try expect(context.insertedObjects.count == 20, "the objects are still to be saved")
          context.rollback()
        }
      }
      try stack.readAnew()
      let found = try stack.context.count(
        for: stack.context.request("Person", "name BEGINSWITH 'round'", []))
      try expectEqual(found, acknowledged * 20, "the objects of acknowledged saves")
    },
  ]

  /// Cancels a save at a call of the store, and saves again.
  private static func cancelled(_ stage: ConformanceStage, at call: StoreCall) throws {
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    try stack.readAnew()
    let context = stack.context
    let ada = try context.named("Person", "Ada")
    let version = try stack.version(of: ada)
    try ada.set("age", 37)
    // More objects than a store has reserved keys.
    for number in 0..<500 { try context.make("Person", ["name": "new", "age": number]) }
    let cancellation = RequestCancellation()
    faults.interrupt(call) { cancellation.cancel() }
    try expectError(.userCancelled, "the save that is cancelled") {
      try RequestScope.cancellable(by: cancellation) { try context.save() }
    }
    try expectEqual(context.insertedObjects.count, 500, "the new objects that are to be saved")
    try expect(ada.isUpdated, "the changed one is to be saved")
    try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 36)
    try context.save()
    try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 37)
    try expectEqual(try stack.version(of: ada), version + 1)
    try expectEqual(try context.count(for: context.request("Person", "name == 'new'", [])), 500)
  }
}
