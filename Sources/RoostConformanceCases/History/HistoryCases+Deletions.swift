// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let deletions: [ConformanceCase] = [
    company("delete-token", "deleting before a token leaves its last transaction (H12, B286)") {
      stack in
      for number in 0..<5 { try stack.save("person \(number)") }
      let all = try stack.history()
      try expectEqual(try stack.deleteHistory(before: all[2].token), 2, "how many")
      try expectEqual(
        try stack.history().map(\.transactionNumber), all[2...].map(\.transactionNumber))
      try expectEqual(try stack.history(after: all[2].token).count, 2, "the token stays good")
      try expectEqual(try stack.history(after: all[1].token).count, 3, "and the one before it")
      try expectError(.persistentHistoryTokenExpired, "an earlier token") {
        _ = try stack.history(after: all[0].token)
      }
      try expectEqual(try stack.deleteHistory(before: all[2].token), 0, "again")
    },
    company(
      "way-out.persistentHistoryTokenExpired",
      "who comes too late reads anew, and goes on from the current token (H10, B286, B362)"
    ) { stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let old = try stack.token()
      let batch = BatchUpdateRequest(entityName: "Person")
      for age in 1...3 {
        batch.propertiesToUpdate = ["age": age]
        try stack.context.execute(batch)
      }
      _ = try stack.deleteHistory(before: try stack.token())
      try expectError(.persistentHistoryTokenExpired, "the merge") {
        _ = try stack.context.mergeHistory(after: old)
      }
      try expectEqual(try ada.number("age"), nil, "nothing is merged")
      let token = try stack.token()
      stack.context.stalenessInterval = 0
      try stack.context.refreshAllObjects()
      try expectEqual(try ada.number("age"), 3)
      batch.propertiesToUpdate = ["age": 4]
      try stack.context.execute(batch)
      _ = try stack.context.mergeHistory(after: token)
      try expectEqual(try ada.number("age"), 4)
    },
    company("delete-date", "deleting before a date, also of all (H12, B286)") { stack in
      for number in 0..<3 { try stack.save("person \(number)") }
      let all = try stack.history()
      let early = PersistentHistoryChangeRequest.deleteHistory(
        before: all[0].timestamp.addingTimeInterval(-1))
      try expectEqual(try stack.context.execute(early).count, 0)
      let late = PersistentHistoryChangeRequest.deleteHistory(
        before: all[2].timestamp.addingTimeInterval(60))
      try expectEqual(try stack.context.execute(late).count, 3)
      try expectEqual(try stack.history().count, 0)
      try expectEqual(try stack.history(after: all[2].token).count, 0, "the last token is good")
      try expectError(.persistentHistoryTokenExpired, "an earlier token") {
        _ = try stack.history(after: all[0].token)
      }
      try stack.save("later")
      let later = try stack.history()
      try expectEqual(later.count, 1)
      try expect(
        later[0].transactionNumber > all[2].transactionNumber, "numbers are not given twice")
      try expectEqual(
        try stack.history(after: all[2].token).map(\.transactionNumber),
        later.map(\.transactionNumber))
    },
    company("delete-nothing", "deleting before no token deletes nothing (B286)") { stack in
      try stack.save("Ada")
      try expectEqual(try stack.deleteHistory(before: nil), 0)
      try expectEqual(try stack.history().count, 1)
    },
    company(
      "delete-reopened", "what was deleted stays deleted (H12)", needs: [.reopening]
    ) { stack in
      for number in 0..<3 { try stack.save("person \(number)") }
      let all = try stack.history()
      _ = try stack.deleteHistory(before: all[2].token)
      try stack.reopen()
      try expectEqual(try stack.history().count, 1)
      try expectError(.persistentHistoryTokenExpired, "an earlier token") {
        _ = try stack.history(after: all[0].token)
      }
      try expectEqual(try stack.history(after: all[1].token).count, 1)
    },
    ConformanceCase(
      .history, "not-kept", "a store that is named and keeps no history is refused (H14)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try stack.save("Ada")
      try expectEqual(try stack.history().count, 0, "nobody is asked")
      try expectEqual(
        try stack.coordinator.currentPersistentHistoryToken(fromStores: nil), nil, "the token")
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      request.affectedStoreIdentifiers = stack.coordinator.persistentStores.map(
        \.identity.identifier)
      try expectError(.persistentStoreUnsupportedRequestType, "the request") {
        try stack.context.execute(request)
      }
      request.affectedStoreIdentifiers = ["nobody"]
      try expectError(.storeRemoved, "the request") { try stack.context.execute(request) }
    },
  ]
}
