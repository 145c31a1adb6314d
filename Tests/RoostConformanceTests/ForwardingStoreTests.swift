// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostCoordinator
import RoostInMemory
import RoostModel
import RoostStore
import Synchronization
import Testing

/// Tests that a forwarding store returns the results of the store behind it, except for what it overrides.
@Suite("Stores in front of other stores")
struct ForwardingStoreTests {
  /// Counts the forwarded calls.
  private final class Counting: ForwardingStore, @unchecked Sendable {
    // Sendable: the numbers are atomic.

    let reads: Numbers

    final class Numbers: Sendable {
      let rows = Atomic<Int>(0)
      let closes = Atomic<Int>(0)
    }

    init(_ base: any PersistentStore, _ reads: Numbers) {
      self.reads = reads
      super.init(base)
    }

    override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
      Counting(base, reads)
    }

    override func rows(forKeys keys: [Int64]) throws -> [Row] {
      reads.rows.wrappingAdd(1, ordering: .relaxed)
      return try super.rows(forKeys: keys)
    }

    override func close() {
      reads.closes.wrappingAdd(1, ordering: .relaxed)
      super.close()
    }
  }

  @Test("a store that hands everything on keeps every promise of the one behind it")
  func kit() {
    let harness = StoreHarness("Forwarding") {
      .reference(named: UUID().uuidString).forwarded { ForwardingStore($0) }
    }
    let topics: [ConformanceTopic] = [.faulting, .saving, .conflicts, .metadata]
    let report = ConformanceRun(harness, cases: topics.flatMap(\.cases)).report()
    #expect(report.isConforming, "\(report.text)")
  }

  private func prepared(
    _ numbers: Counting.Numbers
  ) throws -> (PersistentStoreCoordinator, any PersistentStore, StoreSchema) {
    let item = EntityDescription(name: "Item")
    item.properties = [AttributeDescription(name: "name", type: .string)]
    let model = ManagedObjectModel(entities: [item])
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      with: .inMemory(named: UUID().uuidString).forwarded { Counting($0, numbers) })
    let schema = try #require((store as? ForwardingStore)?.schema)
    return (coordinator, store, schema)
  }

  @Test("one record is read by what reads many, also where the request can be cancelled")
  func oneRow() throws {
    let numbers = Counting.Numbers()
    let (coordinator, store, schema) = try prepared(numbers)
    let entity = try #require(schema.entities.first)
    let key = RecordKey.make(
      sequence: try store.reserveSequences(1).lowerBound,
      entityCode: try #require(schema.code(of: entity)))
    let row = Row(layout: entity.layout, key: key, version: 1)
    guard case .committed = try store.commit(StoreChangeSet(inserted: [row])) else {
      Issue.record("the row was not written")
      return
    }
    #expect(try store.row(forKey: key)?.key == key)
    #expect(numbers.rows.load(ordering: .relaxed) == 1)
    let stoppable = store.cancellable(by: RequestCancellation())
    #expect(try stoppable.row(forKey: key)?.key == key)
    #expect(numbers.rows.load(ordering: .relaxed) == 2)
    try coordinator.remove(store)
    #expect(numbers.closes.load(ordering: .relaxed) == 1)
  }

  @Test("a store that cannot be wrapped is closed, and what the wrapping threw is thrown")
  func refusal() throws {
    let numbers = Counting.Numbers()
    let driver = ForwardingDriver(
      ForwardingDriver(PersistentStoreType.inMemory.driver) { Counting($0, numbers) }
    ) { _ in throw PersistenceError(.storeBusy, "not now") }
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try driver.open(.inMemory(named: UUID().uuidString))
    }
    #expect(numbers.closes.load(ordering: .relaxed) == 1)
  }
}
