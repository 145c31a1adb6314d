// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostStore
import Testing

/// Tests of automatic growth of the file, under load and with other processes, up to a limit that is an error of a
/// save.
@Suite struct GrowthTests {
  private static func small(_ description: inout PersistentStoreDescription) {
    description.options[LMDBOption.initialSize] = .integer(262_144)
  }

  @Test("a store grows by itself, however little room it had at first (reliability 3.7)")
  func grows() throws {
    let depot = try Depot(Self.small)
    for round in 0..<8 {
      try depot.insert((0..<50).map { "\(round) \($0)" }, payload: 2_000 << (round / 2))
    }
    #expect(try depot.names().count == 400)
    try depot.reopen()
    #expect(try depot.names().count == 400)
    let size = try FileManager.default.attributesOfItem(atPath: depot.path)[.size] as? Int ?? 0
    #expect(size > 2 << 20)
  }

  @Test("a store grows while others read it, and they see whole saves")
  func growsUnderLoad() async throws {
    let depot = try Depot(Self.small)
    let store = depot.store
    let model = depot.model
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var count = 0
          while count < 600 {
            guard case .rows(let rows) = try store.fetch(model.request()).content else {
              Issue.record("The answer has another form.")
              return
            }
            #expect(rows.count % 20 == 0 && rows.count >= count)
            #expect(rows.allSatisfy { $0.data(model.slot("payload")).count == 5_000 })
            count = rows.count
          }
        }
      }
      for round in 0..<30 {
        try depot.insert((0..<20).map { "\(round) \($0)" }, payload: 5_000)
      }
      try await group.waitForAll()
    }
  }

  @Test("a store at its largest size refuses a save as a whole, and goes on with what fits")
  func limit() throws {
    let depot = try Depot { description in
      Self.small(&description)
      description.options[LMDBOption.maximumSize] = .integer(1 << 20)
    }
    try depot.insert(["a", "b"], payload: 1_000)
    let large = try depot.rows((0..<100).map { "large \($0)" }, payload: 50_000)
    for _ in 0..<3 {
      #expect(
        errorCode { _ = try depot.store.commit(StoreChangeSet(inserted: large)) } == .storeFull)
      #expect(try depot.names() == ["a", "b"])
    }
    try depot.insert(["c"], payload: 1_000)
    try depot.reopen()
    #expect(try depot.names() == ["a", "b", "c"])
    // Freed pages are reused.
    for round in 0..<20 {
      let rows = try depot.insert(["round \(round)"], payload: 200_000)
      _ = try depot.store.commit(
        StoreChangeSet(deleted: rows.map { RowVersion(key: $0.key, version: 1) }))
    }
    #expect(try depot.names() == ["a", "b", "c"])
  }

  @Test("a save beyond a page, and of a large value, is read as it was written")
  func largeValues() throws {
    let depot = try Depot()
    let row = try depot.insert(["big"], payload: 20 << 20)[0]
    let read = try #require(try depot.store.rows(forKeys: [row.key]).first)
    #expect(read.data(depot.model.slot("payload")) == row.data(depot.model.slot("payload")))
  }
}
