// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

@Suite("Indexes of many records in LMDB stores")
struct LargeIndexTests {
  private static let count = 300

  private static func version(
    _ name: String, isIndexed: Bool, isUnique: Bool = false, isSearchable: Bool = false
  ) throws -> ModelVersion {
    try ModelVersion(name) {
      let person = entity("Person")
      person.properties = [attribute("name", .string), attribute("age", .integer32)]
      // Part of the version, as an index is not.
      if name != "first" { person.properties.append(attribute("more", .integer32)) }
      person.attributesByName["name"]?.isSearchable = isSearchable
      if isUnique { person.uniquenessConstraints = [["name"]] }
      if isIndexed {
        person.indexes = [
          FetchIndexDescription(
            name: "byAge", elements: [FetchIndexElementDescription(propertyName: "age")])
        ]
      }
      return [person]
    }
  }

  /// A store with people, whose indexes count as large.
  private func filled(
    name: (Int64) -> Value = { .string("p\($0)") }, hashes: Int = 2 << 20
  ) throws -> EvolvingStore {
    let store = try EvolvingStore(.lmdb, Self.version("first", isIndexed: false)) {
      $0.evolution.batches.largestLog = 0
      $0.evolution.batches.records = 16
      $0.evolution.batches.seconds = 1e-9
      $0.evolution.batches.hashes = hashes
    }
    let code = store.store.metadata.entityCodes["Person"] ?? 0
    let rows = try store.store.reserveSequences(Self.count).map { sequence in
      try store.row(
        "Person", key: RecordKey.make(sequence: sequence, entityCode: code),
        ["name": name(sequence), "age": .integer(sequence % 7)])
    }
    try store.commit(StoreChangeSet(inserted: rows))
    return store
  }

  /// Opens a store with an engine that counts, migrates it, and leaves it prepared.
  private func evolve(
    _ store: EvolvingStore, _ next: ModelVersion, _ reporter: MigrationReporter
  ) throws -> (KeyValueStore, CountingEngine, close: () -> Void) {
    store.store.close()
    let raw = try #require(
      try store.description.type.driver.open(store.description) as? KeyValueStore)
    let engine = CountingEngine(raw.engine)
    let counting = try KeyValueStore(
      engine: engine, description: store.description, storeType: LMDBStoreType.name)
    let (change, metadata) = try next.change(from: store.version, of: counting)
    #expect(try counting.evolve(change, to: metadata, reporter: reporter))
    let steps = counting.metadata.deferredSteps
    try counting.prepare(change.destination, metadata: metadata)
    #expect(counting.metadata.deferredSteps == steps)
    return (counting, engine, { raw.close() })
  }

  private func entryCount(_ store: KeyValueStore) throws -> Int {
    let schema = try store.preparedSchema()
    let index = try #require(schema.indexes.first { $0.purpose == .fetch })
    return try store.engine.reading { try $0.entryCount(of: index.table, in: .all) }
  }

  @Test("an index of many records is filled in many transactions, after the version changed (M23)")
  func divided() throws {
    let store = try filled()
    let reports = Mutex<[MigrationProgress]>([])
    let (evolved, engine, close) = try evolve(
      store, Self.version("second", isIndexed: true),
      MigrationReporter { report in reports.withLock { $0.append(report) } })
    defer { close() }
    #expect(engine.entries == Self.count)
    #expect(try entryCount(evolved) == Self.count)
    #expect(!evolved.metadata.hasDeferredMigration)
    let told = reports.withLock { $0 }.filter { $0.total == Self.count }
    #expect(told.count > 10)
    #expect(told.map(\.completed) == told.map(\.completed).sorted())
    #expect(told.last?.completed == Int64(Self.count))
  }

  @Test(
    "an index that was cut off goes on where it was, and no fetch uses it before (M25, M31, M50)")
  func resumed() throws {
    let store = try filled()
    let next = try Self.version("second", isIndexed: true)
    let (evolved, engine, close) = try evolve(
      store, next,
      MigrationReporter { report in
        if report.total == Self.count, report.completed > 100 { throw CancellationError() }
      })
    defer { close() }
    let written = engine.entries
    #expect((100..<Self.count).contains(written))
    #expect(evolved.metadata.overdueStepCount == 1)
    let index = try #require(try evolved.preparedSchema().indexes.first { $0.purpose == .fetch })
    #expect(try !evolved.preparedSchema().isBuilt(index))
    while try evolved.finishDeferredStep(isEvolving: false) {}
    #expect(engine.entries == Self.count)
    #expect(try entryCount(evolved) == Self.count)
    #expect(try evolved.preparedSchema().isBuilt(index))
    #expect(evolved.metadata.overdueStepCount == 0)
  }

  @Test("a new index of many records is left for transactions of its own by an opening (M4, M23)")
  func withoutMigration() throws {
    let store = try filled()
    try store.reopen(Self.version("first", isIndexed: true))
    #expect(store.store.metadata.overdueStepCount == 1)
    let opened = try #require(store.store as? KeyValueStore)
    #expect(try entryCount(opened) == 0)
    #expect(try store.keys("Person", "age", .integer(3)).count > Self.count / 8)
    let key = try store.insert("Person", ["name": .string("new"), "age": .integer(3)])
    while try opened.finishDeferredStep(isEvolving: false) {}
    #expect(try entryCount(opened) == Self.count + 1)
    #expect(try store.keys("Person", "age", .integer(3)).contains(key))
    try store.reopen()
    #expect(!store.store.metadata.hasDeferredMigration)
    // Removed and added again, it begins at the first record.
    try store.reopen(Self.version("first", isIndexed: false))
    try store.reopen(Self.version("first", isIndexed: true))
    #expect(store.store.metadata.overdueStepCount == 1)
    #expect(store.store.metadata.deferredSteps?.first?.position == nil)
  }

  @Test(
    "words of many records are filled in many transactions, with or without another version (M4, M23)",
    arguments: ["first", "second"])
  func words(version: String) throws {
    let store = try filled(name: { .string("common p\($0)") })
    let next = try Self.version(version, isIndexed: false, isSearchable: true)
    let reports = Mutex<[MigrationProgress]>([])
    if version == "first" {
      try store.reopen(next)
    } else {
      let reporter = MigrationReporter { report in
        reports.withLock { $0.append(report) }
        if report.total == Self.count, report.completed > 100 { throw CancellationError() }
      }
      try evolve(store, next, reporter).close()
      try store.reopen(next)
    }
    let opened = try #require(store.store as? KeyValueStore)
    #expect(opened.metadata.overdueStepCount == 1)
    let index = try #require(try opened.preparedSchema().indexes.first { $0.purpose == .words })
    func count() throws -> Int {
      try opened.engine.reading { try $0.entryCount(of: index.table, in: .all) }
    }
    #expect(try !opened.preparedSchema().isBuilt(index))
    let before = try count()
    #expect(before < Self.count * 2)
    let key = try store.insert("Person", ["name": .string("common new"), "age": .integer(3)])
    #expect(try count() == before + 2)
    while try opened.finishDeferredStep(isEvolving: false) {}
    #expect(try count() == (Self.count + 1) * 2)
    #expect(try opened.preparedSchema().isBuilt(index))
    #expect(try store.keys("Person", "name", .string("common new")) == [key])
  }

  @Test("an index that was filled after a change was planned is kept, not filled again (M31, M33)")
  func filledMeanwhile() throws {
    let store = try filled()
    let second = try Self.version("second", isIndexed: true)
    let (evolved, engine, close) = try evolve(
      store, second,
      MigrationReporter { report in
        if report.total == Self.count, report.completed > 100 { throw CancellationError() }
      })
    let third = try Self.version("third", isIndexed: true, isSearchable: true)
    let (change, metadata) = try third.change(from: second, of: evolved)
    #expect(try evolved.finishDeferredStep(isEvolving: false))
    #expect(evolved.metadata.deferredSteps != change.metadata.deferredSteps)
    while try evolved.finishDeferredStep(isEvolving: false) {}
    let entries = engine.entries
    #expect(try evolved.evolve(change, to: metadata, reporter: MigrationReporter()))
    #expect(engine.entries - entries == Self.count, "the words only")
    try evolved.prepare(change.destination, metadata: evolved.metadata)
    #expect(try entryCount(evolved) == Self.count)
    close()
  }

  @Test(
    "values that must be unique are compared some at a time, and all duplicates are found (M13)",
    arguments: [1, 7, 299, 2 << 20])
  func unique(hashes: Int) throws {
    let next = try Self.version("second", isIndexed: false, isUnique: true)
    let long = String(repeating: "long ", count: 400)
    let good = try filled(name: { $0 % 5 == 0 ? .null : .string(long + "\($0)") }, hashes: hashes)
    #expect(try good.evolve(to: next))
    let bad = try filled(
      name: { .string($0 <= 20 ? long + "\($0 % 10)" : "p\($0)") }, hashes: hashes)
    for attempt in [{ _ = try bad.steps(to: next) }, { _ = try bad.evolve(to: next) }] {
      let error = #expect(throws: PersistenceError.self) { try attempt() }
      #expect(error?.code == .migrationConstraintViolation)
      #expect(error?.message.hasPrefix("20 records") == true)
      #expect(error?.objectIDs.count == 20)
    }
  }
}
