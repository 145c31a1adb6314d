// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Permanent IDs")
struct PermanentIDTests {
  private func obtain(_ count: Int, _ stack: Stack, _ store: MinimalStore) throws -> [ObjectID] {
    let attached = try stack.attached(store)
    return try stack.coordinator.obtainPermanentIDs(
      for: NewRecords((0..<count).map { _ in (stack.company.person, attached) }))
  }

  @Test("IDs come in the order of the objects, each of its entity (B172, B301)")
  func order() throws {
    let (stack, store) = try Stack.withStore()
    let attached = try stack.attached(store)
    let company = stack.company
    let entities = [company.note, company.employee, company.note, company.person]
    let ids = try stack.coordinator.obtainPermanentIDs(
      for: NewRecords(entities.map { ($0, attached) }))
    #expect(ids.map { RecordKey.sequence(of: $0.key) } == [1, 2, 3, 4])
    #expect(ids.map(\.entity) == entities)
    #expect(ids.allSatisfy { !$0.isTemporaryID && $0.storeIdentity === store.identity })
  }

  @Test("a large save asks its store once, small saves seldom (B28)")
  func blocks() throws {
    let (stack, store) = try Stack.withStore()
    _ = try obtain(100_000, stack, store)
    #expect(store.script.withLock { $0.reservations } == [100_000])
    for _ in 0..<1000 { _ = try obtain(1, stack, store) }
    #expect(store.script.withLock { $0.reservations.count } < 10)
    #expect(stack.coordinator.counters.reservations < 10)
  }

  @Test("no number is given twice, to no thread and by no coordinator (B25)")
  func unique() throws {
    let (stack, store) = try Stack.withStore()
    let other = try Stack(company: stack.company, driver: stack.driver)
    let otherStore = try other.addStore("all")
    let all = Mutex<[Int64]>([])
    Concurrently.run(8) { index in
      for _ in 0..<50 {
        let ids =
          index.isMultiple(of: 2)
          ? try? obtain(7, stack, store) : try? obtain(5, other, otherStore)
        all.withLock { $0 += (ids ?? []).map(\.key) }
      }
    }
    let keys = all.withLock { $0 }
    #expect(keys.count == 4 * 50 * 12)
    #expect(Set(keys).count == keys.count)
  }

  @Test("keys are unique over all entities of a store (B303)")
  func uniqueOverEntities() throws {
    let (stack, store) = try Stack.withStore()
    let attached = try stack.attached(store)
    let company = stack.company
    var objects: [(entity: EntityDescription, store: AttachedStore)] = []
    for index in 0..<300 {
      objects.append(([company.person, company.employee, company.tag][index % 3], attached))
    }
    let ids = try stack.coordinator.obtainPermanentIDs(for: objects)
    #expect(Set(ids.map { RecordKey.sequence(of: $0.key) }).count == 300)
  }

  @Test("objects of several stores get their IDs in one call")
  func severalStores() throws {
    let stack = try Stack()
    let (first, second) = (
      try stack.attached(stack.addStore("a")), try stack.attached(stack.addStore("b"))
    )
    let note = stack.company.note
    let ids = try stack.coordinator.obtainPermanentIDs(
      for: [(note, first), (note, second), (note, first), (note, second)])
    #expect(ids.map { RecordKey.sequence(of: $0.key) } == [1, 1, 2, 2])
    #expect(Set(ids).count == 4)
  }

  @Test("a read-only store gives no IDs (B236)")
  func readOnly() throws {
    let stack = try Stack()
    let store = try stack.addStore("a", options: [StoreOption.readOnly: .boolean(true)])
    #expect(errorCode { _ = try obtain(1, stack, store) } == .readOnlyStore)
  }

  @Test("a store gives no ID for an entity that it does not hold (B231)")
  func foreignEntity() throws {
    let stack = try Stack()
    let store = try stack.attached(stack.addStore("a", configuration: "NotesOnly"))
    #expect(
      errorCode {
        _ = try stack.coordinator.obtainPermanentIDs(for: [(stack.company.person, store)])
      } == .invalidStoreAssignment)
  }

  @Test("a removed store gives no IDs (B235)")
  func removed() throws {
    let (stack, store) = try Stack.withStore()
    let attached = try stack.attached(store)
    try stack.coordinator.remove(store)
    #expect(
      errorCode {
        _ = try stack.coordinator.obtainPermanentIDs(for: [(stack.company.note, attached)])
      } == .storeRemoved)
  }

  @Test("a store whose numbers are used up says so")
  func exhausted() throws {
    let (stack, store) = try Stack.withStore()
    store.medium.content.withLock { $0.lastSequence = Int64.max >> 12 - 1 }
    #expect(try obtain(1, stack, store).count == 1)
    #expect(errorCode { _ = try obtain(1, stack, store) } == .limitExceeded)
  }

  @Test("new objects go where the router says (B230)")
  func routing() throws {
    let stack = try Stack()
    let notes = try stack.addStore("notes", configuration: "NotesOnly")
    let all = try stack.addStore("all")
    let stores = try stack.coordinator.storesForNewObjects([
      NewObject(entity: stack.company.note), NewObject(entity: stack.company.person),
      NewObject(entity: stack.company.note, assigned: all.identity),
    ])
    #expect(stores.map { $0.store === notes } == [true, false, false])
    #expect(
      errorCode {
        try stack.coordinator.checkAssignment(of: stack.company.person, to: notes)
      } == .invalidStoreAssignment)
  }
}
