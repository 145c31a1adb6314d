// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Synchronization
import Testing

@testable import RoostMigration

/// A driver that fails all operations after a number of them, as if the process had been killed: the files stay as
/// they are.
private final class DyingDriver: ReplacementDriver {
  struct Death: Error {}

  let base: any PersistentStoreDriver
  private let left: Mutex<Int>

  init(_ base: any PersistentStoreDriver, after count: Int) {
    self.base = base
    left = Mutex(count)
  }

  var isDead: Bool { left.withLock { $0 < 0 } }

  func live() throws {
    let isAlive = left.withLock { left in
      if left >= 0 { left -= 1 }
      return left >= 0
    }
    guard isAlive else { throw Death() }
  }

  var optionNames: Set<String>? { base.optionNames }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try live()
    return DyingStore(try base.open(description), self)
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try live()
    return try base.metadata(of: description)
  }

  func setMetadata(_ metadata: StoreMetadata, of description: PersistentStoreDescription) throws {
    try live()
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try live()
    try base.destroy(description)
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try live()
    try base.replace(destination, with: source)
  }

  func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)? {
    try live()
    let replacement = try (base as? any ReplacementDriver)?.beginReplacement(of: description)
    return replacement.map { DyingReplacement(base: $0, driver: self) }
  }
}

private struct DyingReplacement: StoreReplacement {
  let base: any StoreReplacement
  let driver: DyingDriver

  func replace(with source: PersistentStoreDescription) throws -> Bool {
    try driver.live()
    return try base.replace(with: source)
  }
}

private final class DyingStore: ForwardingStore, @unchecked Sendable {
  // Sendable: the driver counts behind a lock.
  private let driver: DyingDriver

  init(_ base: any PersistentStore, _ driver: DyingDriver) {
    self.driver = driver
    super.init(base)
  }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try driver.live()
    try super.prepare(schema, metadata: metadata)
  }

  override func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try driver.live()
    return try super.reserveSequences(count)
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try driver.live()
    return try super.commit(changes)
  }
}

@Suite("Migrations that are ended at any point") struct CrashPointTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func dying(
    _ description: PersistentStoreDescription, after count: Int
  ) -> (PersistentStoreDescription, DyingDriver) {
    let driver = DyingDriver(description.type.driver, after: count)
    var result = description
    result.type = PersistentStoreType(rawValue: description.type.rawValue, driver: driver)
    return (result, driver)
  }

  @Test(
    "the old store is there or the new one, and the next opening migrates it (M50)",
    arguments: [StoreKind.sqlite, .lmdb])
  func mapping(kind: StoreKind) throws {
    var points = 0
    for count in 0..<400 {
      let store = kind.description("store\(count)", folder)
      let identifier = try Staff.fill(store, count: 8)
      var (killed, driver) = dying(store, after: count)
      killed.migration = MappingModels([Staff.mapping()], sourceModels: [Staff.old()])
      do {
        try Staff.withStore(killed, Staff.new()) { _, _ in }
      } catch {
        #expect(driver.isDead, "\(error)")
      }
      points += 1
      let isOld = (try? Staff.withStore(store, Staff.old()) { _, _ in }) != nil
      let isNewer =
        try store.type.driver.metadata(of: store)?.entityVersionHashes["Employee"] != nil
      #expect(isOld != isNewer, "\(count)")
      var next = store
      next.migration = MappingModels([Staff.mapping()], sourceModels: [Staff.old()])
      try Staff.withStore(next, Staff.new()) { _, opened in
        #expect(opened.identity.identifier == identifier)
      }
      #expect(try Staff.employees(store) == Staff.expected(8), "\(count)")
      if !driver.isDead { break }
    }
    #expect(points > 15 && points < 400, "\(points)")
  }

  @Test(
    "a staged migration goes on from where it was (A5, M28)", arguments: [StoreKind.sqlite, .lmdb])
  func staged(kind: StoreKind) throws {
    var points = 0
    for count in 0..<400 {
      let log = StageLog()
      let stages = [
        Versions.custom(1, 2, log),
        LightweightMigrationStage([2, 3].map { Versions.checksum($0) }),
        Versions.custom(3, 4, log),
      ]
      let store = kind.description("store\(count)", folder)
      try Versions.fill(store, 1)
      var (killed, driver) = dying(store, after: count)
      killed.migration = StagedMigrationManager(stages)
      do {
        try Staff.withStore(killed, Versions.model(4)) { _, _ in }
      } catch {
        #expect(driver.isDead, "\(error)")
      }
      points += 1
      var next = store
      next.migration = StagedMigrationManager(stages)
      #expect(try Versions.lastNames(next, 4) == ["Lovelace", "Turing"], "\(count)")
      let done = log.calls.filter { $0.hasPrefix("did 1-2") || $0.hasPrefix("did 3-4") }
      #expect(Set(done.map { $0.prefix(7) }) == ["did 1-2", "did 3-4"], "\(count)")
      #expect(done.count <= 3, "\(log.calls)")
      if !driver.isDead { break }
    }
    #expect(points > 20 && points < 400, "\(points)")
  }
}
