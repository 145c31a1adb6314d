// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// Tests of one file with several stores and threads: a process has one environment per file, whatever its path.
@Suite struct SharingTests {
  @Test("stores on one file share what they write, also under another name of the file")
  func twoStores() throws {
    let depot = try Depot()
    let link = depot.folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: URL(filePath: depot.path))
    let store = try depot.second { $0.url = link }
    try depot.insert(["a"])
    #expect(try depot.names(in: store) == ["a"])
    // One environment: a second one would have created its own lock file in the folder of the link.
    #expect(!FileManager.default.fileExists(atPath: link.path + "-lock"))
    store.close()
    // The remaining store still works after the other one was closed.
    try depot.insert(["b"])
    #expect(try depot.names() == ["a", "b"])
  }

  @Test("a request leaves no transaction open, so that pages are used again")
  func noReaderLeft() throws {
    let depot = try Depot()
    let row = try depot.insert(["a"], payload: 200_000)[0]
    var version: Int64 = 1
    for _ in 0..<60 {
      _ = try depot.names()
      _ = try depot.store.rows(forKeys: [row.key])
      let update = RowUpdate(
        row: row.copy(version: version + 1), baseVersion: version,
        changedSlots: [depot.model.slot("payload").index])
      guard case .committed = try depot.store.commit(StoreChangeSet(updated: [update])) else {
        Issue.record("The update was refused.")
        return
      }
      version += 1
    }
    let size = try FileManager.default.attributesOfItem(atPath: depot.path)[.size] as? Int ?? 0
    #expect(size < 2 << 20)
  }

  @Test("increments of many threads over two stores add up: no update is lost (B176)")
  func increments() async throws {
    let depot = try Depot()
    let key = try depot.insert(["counter"])[0].key
    let stores = [depot.store, try depot.second()]
    let number = depot.model.slot("number")
    let before = try #require(try depot.store.rows(forKeys: [key]).first).integer(number)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        let store = stores[task % 2]
        group.addTask {
          for _ in 0..<25 {
            while true {
              let old = try #require(try store.rows(forKeys: [key]).first)
              let new = old.copy(version: old.version + 1)
              new.setInteger(old.integer(number) + 1, at: number)
              let update = RowUpdate(
                row: new, baseVersion: old.version, changedSlots: [number.index])
              if case .committed = try store.commit(StoreChangeSet(updated: [update])) { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let read = try #require(try depot.store.rows(forKeys: [key]).first)
    #expect(read.integer(number) == before + 100)
    #expect(read.version == 101)
    stores[1].close()
  }

  @Test(
    "a store that is closed while threads use it lets them finish, and refuses them then (B235)")
  func closedMeanwhile() async throws {
    for _ in 0..<10 {
      let depot = try Depot()
      try depot.insert((0..<50).map { "thing \($0)" })
      let store = depot.store
      let model = depot.model
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            do {
              while true {
                if task == 0 {
                  _ = try store.reserveSequences(1)
                } else {
                  guard case .rows(let rows) = try store.fetch(model.request()).content else {
                    Issue.record("The answer has another form.")
                    return
                  }
                  #expect(rows.count == 50)
                }
              }
            } catch let error as PersistenceError {
              #expect(error.code == .storeRemoved)
            }
          }
        }
        // A separate thread: the tasks may use all threads of the runtime.
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: 0.003)
          store.close()
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("a request through an index says so, and a limited one stops early")
  func plans() throws {
    let depot = try Depot()
    try depot.insert((0..<300).map { "thing \($0)" })
    let plan = try depot.store.plan(for: depot.model.request("number", .equalTo, .integer(7)))
    #expect(plan.indexes == ["Thing.by-number"])
    let count = depot.model.request("number", .greaterThan, .integer(100), result: .count)
    guard case .count(let found) = try depot.store.fetch(count).content else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(found == 200)
  }
}
