// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Testing

@Suite("Stores of all kinds behind one coordinator: saves")
struct FourStoresSavingTests {
  /// Persistent stores are saved before the in-memory one, in the order of adding: so the order of saving is that of
  /// the kinds here.
  private static let stores = 0..<4

  private func shelf() throws -> FourStores {
    let shelf = try FourStores(ShelfModel.make(), configurations: ShelfModel.configurations)
    shelf.coordinator.saveTraffic.policy = .perStore
    for index in Self.stores {
      let tag = try shelf.context.make("Tag", ["name": "t\(index)", "size": 0])
      try shelf.context.assign(tag, to: shelf.stores[index])
    }
    try shelf.context.save()
    return shelf
  }

  /// Changes a tag, removes one, adds one and an owner in each store.
  private func change(_ shelf: FourStores) throws {
    for index in Self.stores {
      try shelf.context.named("Tag", "t\(index)").set("size", 1)
      let new = try shelf.context.make("Tag", ["name": "n\(index)"])
      let owner = try shelf.context.make(ShelfModel.entities[index], ["name": "o\(index)"])
      try owner.add(new, to: "tags")
    }
  }

  /// Returns whether each store has the change, read by a new context.
  private func written(_ shelf: FourStores) throws -> [Bool] {
    let fresh = shelf.stack.makeContext()
    fresh.stalenessInterval = 0
    return try Self.stores.map { index in
      let signs = [
        try fresh.named("Tag", "t\(index)").number("size") == 1,
        try !fresh.all("Tag", "name == %@", "n\(index)").isEmpty,
        try !fresh.all(ShelfModel.entities[index], "ANY tags.name == %@", "n\(index)").isEmpty,
      ]
      #expect(Set(signs).count == 1, "store \(index) has a part of its part: \(signs) (B169)")
      return signs[0]
    }
  }

  @Test(
    "a save of four stores of which one fails says which have written, and loses nothing (B170, B171)",
    arguments: stores)
  func failing(_ failing: Int) throws {
    let shelf = try shelf()
    try change(shelf)
    shelf.faults[failing].fail(.commit)
    let error = #expect(throws: PersistenceError.self) { try shelf.context.save() }
    let code: PersistenceError.Code =
      failing == 0 ? .persistentStoreOperation : .persistentStoreIncompleteSave
    #expect(error?.code == code)
    #expect(try written(shelf) == Self.stores.map { $0 < failing })
    #expect(shelf.context.hasChanges)
    if failing > 0 {
      #expect(code.rawValue == 134_040)
      let missing = shelf.context.insertedObjects.union(shelf.context.updatedObjects)
      #expect(Set(error?.objectIDs ?? []) == Set(missing.map(\.objectID)))
      #expect(error?.underlyingErrors.count == 4 - failing)
      #expect(error?.underlyingErrors.first?.code == .persistentStoreOperation)
    }
    // Saved objects have no pending changes; the others can be saved again, and only they are.
    let pending = shelf.context.insertedObjects.union(shelf.context.updatedObjects)
    #expect(Set(pending.compactMap { shelf.place(of: $0) }) == Set(failing..<4))
    let counts = try shelf.counting { try shelf.context.save() }
    #expect(counts.map(\.commits) == Self.stores.map { $0 < failing ? 0 : 1 })
    #expect(try written(shelf) == [true, true, true, true])
    #expect(!shelf.context.hasChanges)
    #expect(try shelf.stack.makeContext().names("Tag").count == 8)
  }

  @Test(
    "what is left of a save that one store refused can be rolled back (B170)", arguments: stores)
  func rolledBack(_ failing: Int) throws {
    let shelf = try shelf()
    try change(shelf)
    shelf.faults[failing].fail(.commit)
    #expect(throws: PersistenceError.self) { try shelf.context.save() }
    shelf.context.rollback()
    #expect(!shelf.context.hasChanges)
    #expect(try written(shelf) == Self.stores.map { $0 < failing })
    let names = (0..<failing).map { "n\($0)" } + Self.stores.map { "t\($0)" }
    #expect(try shelf.context.names("Tag") == names)
    try shelf.stack.reopen()
    #expect(try shelf.context.names("Tag") == names)
  }

  @Test(
    "a conflict in one of four stores is found before any of them writes (B178)", arguments: stores)
  func conflict(_ index: Int) throws {
    let shelf = try shelf()
    try change(shelf)
    let other = shelf.stack.makeContext()
    try other.named("Tag", "t\(index)").set("size", 9)
    try other.save()
    let error = #expect(throws: PersistenceError.self) { try shelf.context.save() }
    #expect(error?.code == .managedObjectMerge)
    #expect(error?.objectIDs.map { $0.storeIdentity === shelf.stores[index].identity } == [true])
    #expect(try written(shelf) == [false, false, false, false])
    shelf.context.mergePolicy = .mergeByPropertyObjectTrump
    try shelf.context.save()
    #expect(try written(shelf) == [true, true, true, true])
  }

  @Test(
    "many threads that save to all stores at once neither wait for each other for ever nor lose")
  func threads() throws {
    let shelf = try FourStores(ShelfModel.make(), configurations: ShelfModel.configurations)
    let coordinator = shelf.coordinator
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      for round in 0..<10 {
        do {
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          for entity in worker % 2 == 0 ? ShelfModel.entities : ShelfModel.entities.reversed() {
            try context.make(entity, ["name": "\(worker)-\(round)"])
          }
          try context.save()
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    for entity in ShelfModel.entities {
      #expect(try shelf.context.names(entity).count == 40)
    }
  }
}
