// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let tokens: [ConformanceCase] = [
    company("after-token", "what is asked for after a token is what came later (H8, B285)") {
      stack in
      try stack.save("Ada")
      let token = try stack.token()
      try expectEqual(try stack.history(after: token).count, 0, "nothing came later")
      try stack.save("Bob")
      try stack.save("Cleo")
      let later = try stack.history(after: token)
      try expectEqual(later.count, 2, "the transactions")
      try expectEqual(try stack.history(after: later[0].token).count, 1, "after the first")
      try expectEqual(try stack.history(after: later[1].token).count, 0, "after the last")
      try expect(later[1].token.covers(later[0].token), "the later token covers the earlier")
      try expect(!later[0].token.covers(later[1].token), "the earlier does not")
      try expect(later[0].token.covers(token), "and both cover the first")
    },
    company("after-date", "what is asked for after a date is what came later (B285)") { stack in
      try stack.save("Ada")
      let first = try require(try stack.history().first, "the transaction")
      let all = try stack.context.execute(
        PersistentHistoryChangeRequest.fetchHistory(
          after: first.timestamp.addingTimeInterval(-1)))
      try expectEqual(all.transactions?.count, 1)
      let none = try stack.context.execute(
        PersistentHistoryChangeRequest.fetchHistory(after: first.timestamp.addingTimeInterval(60)))
      try expectEqual(none.transactions?.count, 0)
    },
    company("limit", "a limit gives the earliest, and their token leads on (H14)") { stack in
      for number in 0..<7 { try stack.save("person \(number)") }
      var token: PersistentHistoryToken?
      var numbers: [Int64] = []
      var rounds = 0
      while rounds < 10 {
        let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
        request.fetchLimit = 3
        let found = try stack.context.execute(request).transactions ?? []
        guard let last = found.last else { break }
        token = last.token
        numbers += found.map(\.transactionNumber)
        rounds += 1
      }
      try expectEqual(rounds, 3, "the portions")
      try expectEqual(numbers.count, 7, "the transactions")
      try expectEqual(numbers, numbers.sorted(), "their order")
    },
    company("archived", "a token means the same after it was archived (H11, B285)") { stack in
      try stack.save("Ada")
      let token = try stack.token()
      try stack.save("Bob")
      let data = try JSONEncoder().encode(token)
      let again = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
      try expectEqual(again, token, "the token")
      try expectEqual(try stack.history(after: again).count, 1)
      try expect(data.count < 200, "a token of one store is short, and has \(data.count) bytes")
    },
    company("damaged", "a damaged token is an expired one (H11)") { stack in
      try stack.save("Ada")
      let data = try JSONEncoder().encode(try stack.token())
      for place in stride(from: 1, to: data.count - 1, by: 5) {
        var damaged = data
        damaged[place] = damaged[place] == 0x41 ? 0x42 : 0x41
        try expectError(.persistentHistoryTokenExpired, "the token") {
          _ = try JSONDecoder().decode(PersistentHistoryToken.self, from: damaged)
        }
      }
    },
    company("foreign-token", "a token of another history is expired (H10)") { stack in
      try stack.save("Ada")
      let token = try stack.token()
      let store = try require(token.stores.first, "the store")
      let foreign = PersistentHistoryToken(stores: [
        store.key: StorePosition(epoch: store.value.epoch ^ 1, place: store.value.place)
      ])
      try expectError(.persistentHistoryTokenExpired, "the request") {
        _ = try stack.history(after: foreign)
      }
    },
    ConformanceCase(
      .history, "put-back",
      "a token from after a copy was made is expired once the copy was put back and has grown (H10)",
      needs: [.history, .reopening]
    ) { stage in
      let stack = try stage.openTracking(model())
      try stack.save("Ada")
      stack.close()
      var copy = try stage.makeStore()
      try copy.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let driver = copy.type.driver
      try driver.replace(copy, with: stack.stores[0])
      try stack.reopen()
      try stack.save("Bob")
      let token = try stack.token()
      stack.close()
      try driver.destroy(stack.stores[0])
      try driver.replace(stack.stores[0], with: copy)
      try stack.reopen()
      for name in ["Cleo", "Dan", "Eve"] { try stack.save(name) }
      try expectError(.persistentHistoryTokenExpired, "the request") {
        _ = try stack.history(after: token)
      }
    },
    company("unknown-store", "a store that a token does not know is asked for all (H9)") { stack in
      try stack.save("Ada")
      let token = PersistentHistoryToken(stores: [
        UUID().uuidString: StorePosition(epoch: 1, place: .number(5, digest: 0))
      ])
      try expectEqual(try stack.history(after: token).count, 1)
    },
    company("results", "a request tells what it is asked for (B285)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      try ada.set("age", 1)
      try stack.context.save()
      func execute(_ type: PersistentHistoryResultType) throws -> PersistentHistoryResult {
        let request = PersistentHistoryChangeRequest.fetchHistory(
          after: nil as PersistentHistoryToken?)
        request.resultType = type
        return try stack.context.execute(request)
      }
      try expectEqual(try execute(.statusOnly).result as? Bool, true)
      try expectEqual(try execute(.objectIDs).result as? [ObjectID], [ada.objectID])
      try expectEqual(try execute(.count).result as? Int, 2)
      try expectEqual(try execute(.changesOnly).changes?.count, 2)
      let bare = try require(try execute(.transactionsOnly).transactions, "the transactions")
      try expect(bare.count == 2 && bare.allSatisfy { $0.changes == nil }, "without changes")
    },
    company(
      "reopened", "the history goes on after the store was closed (H16, B291)", needs: [.reopening]
    ) {
      stack in
      try stack.save("Ada")
      let token = try stack.token()
      try stack.reopen()
      try stack.save("Bob")
      try expectEqual(try stack.history(after: token).count, 1)
      try expectEqual(try stack.history().count, 2)
    },
    ConformanceCase(
      .history, "without-option",
      "a store that keeps a history goes on when it is opened without the option (H16, B291)",
      needs: [.history, .reopening]
    ) { stage in
      var store = try stage.makeStore()
      let plain = store
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let tracking = try stage.open(model(), on: [store])
      try tracking.save("Ada")
      let token = try tracking.token()
      tracking.close()
      let stack = try stage.open(model(), on: [plain])
      try stack.save("Bob")
      try expectEqual(try stack.history(after: token).count, 1)
    },
    ConformanceCase(
      .history, "begun-later",
      "a store that was used before begins its history, and who had it open must open it again (H1)",
      needs: [.history, .reopening, .secondHandle, .equalModels]
    ) { stage in
      var store = try stage.makeStore()
      let first = try stage.open(model(), on: [store])
      try first.save("Ada")
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let second = try stage.open(model(), on: [store])
      try expectEqual(try second.history().count, 0, "what was before is not in it")
      try second.save("Bob")
      try expectEqual(try second.history().count, 1)
      // It would write without a word of it.
      try first.expectRefused("Cleo", "a save without history was taken")
      try first.reopen()
      try first.save("Dan")
      try expectEqual(try second.history().count, 2)
    },
  ]
}
