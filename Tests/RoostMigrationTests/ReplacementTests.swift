// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

@Suite("Stores that are replaced by their migrated version") struct ReplacementTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func begin(_ store: PersistentStoreDescription) throws -> any StoreReplacement {
    let driver = try #require(store.type.driver as? any ReplacementDriver)
    return try #require(try driver.beginReplacement(of: store))
  }

  private func addNote(to store: PersistentStoreDescription) throws {
    try Staff.withStore(store, Staff.old()) { context, _ in
      _ = try EntityDescription.insertNewObject(forEntityName: "Note", into: context)
      try context.save()
    }
  }

  private func notes(_ store: PersistentStoreDescription) throws -> Int {
    try Staff.withStore(store, Staff.old()) { context, _ in
      try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
    }
  }

  @Test(
    "a store that was written since it is watched is not replaced, and any other one is (M34)",
    arguments: [StoreKind.sqlite, .lmdb])
  func written(kind: StoreKind) throws {
    let (store, place) = (kind.description("store", folder), kind.description("place", folder))
    try Staff.fill(store, count: 3)
    try Staff.fill(place, count: 1)
    for _ in 0..<3 { try addNote(to: place) }
    let before = try notes(store)
    do {
      let replacement = try begin(store)
      try addNote(to: store)
      #expect(try !replacement.replace(with: place))
    }
    #expect(try notes(store) == before + 1)
    do {
      let replacement = try begin(store)
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: Staff.old())
      let opened = try coordinator.addPersistentStore(with: store)
      #expect(throws: PersistenceError(.storeBusy, "")) {
        try replacement.replace(with: place)
      }
      try coordinator.remove(opened)
    }
    let replacement = try begin(store)
    #expect(try replacement.replace(with: place))
    #expect(try notes(store) == notes(place))
  }

  @Test("a store that is not there is not watched (M34)", arguments: [StoreKind.sqlite, .lmdb])
  func missing(kind: StoreKind) throws {
    let store = kind.description("none", folder)
    #expect(throws: PersistenceError.self) { try begin(store) }
  }
}
