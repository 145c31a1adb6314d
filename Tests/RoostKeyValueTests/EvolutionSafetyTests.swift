// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostKeyValue

/// Tests of the circumstances of a migration: other processes with the store open, cancellation, read-only stores.
@Suite struct EvolutionSafetyTests {
  typealias Attributes = AttributeEvolutionTests

  static func next() throws -> ModelVersion {
    try Attributes.people(
      attribute("fullName", .string, was: "name"), attribute("age", .double),
      attribute("score", .integer64, default: .integer(7)))
  }

  @Test(
    "the text of the model is kept with the metadata, and an unchanged opening does not read it (M1, M5)",
    arguments: EvolvingStore.Kind.allCases)
  func text(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    #expect(try store.store.evolution?.storedModel() == Array("people".utf8))
    let writes = try store.store.changeMarks?.changeMark()
    try store.reopen()
    #expect(try kind != .lmdb || store.store.changeMarks?.changeMark() == writes)
    #expect(try store.store.evolution?.storedModel() == Array("people".utf8))
    let next = try ModelVersion("second") { [entity("Person", attribute("name", .string))] }
    try store.evolve(to: next, from: Attributes.first())
    #expect(try store.store.evolution?.storedModel() == Array("second".utf8))
    #expect(store.store.metadata.epoch == 1)
    try store.reopen()
    #expect(store.store.metadata.epoch == 1)
  }

  @Test(
    "a store that keeps no text opens, and gets one with its next metadata (M5)",
    arguments: EvolvingStore.Kind.allCases)
  func withoutText(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    let raw = try #require(store.store as? KeyValueStore)
    try raw.engine.write { _, batch in
      var metadata = raw.metadata
      metadata.keepsModel = nil
      try KeyValueStore.write(metadata, to: &batch)
      batch.setBlob(nil, named: KeyValueStore.modelName)
    }
    store.store.close()
    let old = try store.description.type.driver.open(store.description)
    #expect(try old.evolution?.storedModel() == nil)
    old.close()
    try store.reopen()
    #expect(try store.store.evolution?.storedModel() == Array("people".utf8))
    #expect(try store.values("Person", "name") == [.string("Ada"), .string("Grace")])
  }

  @Test(
    "who had the store open is refused with the next request, in reading and writing (M34)",
    arguments: EvolvingStore.Kind.shared)
  func opened(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    let old = store.store
    let version = store.version
    let rows = try store.rows("Person")
    try store.evolve(to: Self.next(), from: Attributes.first(), keepsOpen: true)
    defer { old.close() }
    let person = version.entity("Person")
    let requests: [() throws -> Void] = [
      { _ = try old.rows(forKeys: rows.map(\.key)) },
      { _ = try old.row(forKey: rows[0].key) },
      { _ = try old.fetch(.init(entity: person, entities: [person])) },
      { _ = try old.plan(for: .init(entity: person, entities: [person])) },
      { _ = try old.reserveSequences(1) },
      {
        _ = try old.commit(
          StoreChangeSet(deleted: [RowVersion(key: rows[0].key, version: 1)]))
      },
      { _ = try old.commit(StoreChangeSet(metadata: old.metadata)) },
    ]
    for request in requests {
      let error = failure(request)
      #expect(error?.code == .persistentStoreIncompatibleVersionHash)
      #expect(error?.message.contains("another process") == true)
    }
    #expect(try store.values("Person", "fullName") == [.string("Ada"), .string("Grace")])
    #expect(try store.values("Person", "score") == [.integer(7), .integer(7)])
    try store.insert("Person", ["fullName": .string("Barbara")])
  }

  @Test(
    "who had the store open is refused also when nothing but a name has changed (M34)",
    arguments: EvolvingStore.Kind.shared)
  func openedBetween(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    var others: [any PersistentStore] = [store.store]
    defer { for other in others { other.close() } }
    let key = try store.rows("Person")[0].key
    for (old, new) in [("name", "a"), ("a", "b"), ("b", "a"), ("a", "b")] {
      try store.evolve(
        to: Attributes.people(attribute(new, .string, was: old), attribute("age", .integer32)),
        keepsOpen: true)
      for other in others {
        #expect(
          failure { _ = try other.row(forKey: key) }?.code
            == .persistentStoreIncompatibleVersionHash)
      }
      #expect(try store.values("Person", new) == [.string("Ada"), .string("Grace")])
      others.append(store.store)
    }
  }

  @Test(
    "who opened the store before it was evolved cannot prepare it for the old version (M34)",
    arguments: EvolvingStore.Kind.shared)
  func preparedLate(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    let late = try store.description.type.driver.open(store.description)
    defer { late.close() }
    let old = try Attributes.first()
    try store.evolve(to: Self.next(), from: Attributes.first())
    var metadata = late.metadata
    metadata.userValues["mark"] = .integer(1)
    let error = failure {
      try late.prepare(
        try old.schema(late.identity, codes: metadata.entityCodes), metadata: metadata)
    }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash)
    #expect(try store.values("Person", "age") == [.double(36), .null])
  }

  @Test(
    "of two who begin the same change, the second finds it done (M33)",
    arguments: EvolvingStore.Kind.shared)
  func race(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    let slow = try store.description.type.driver.open(store.description)
    defer { slow.close() }
    let (change, metadata) = try Self.next().change(from: Attributes.first(), of: slow)
    try store.evolve(to: Self.next(), from: Attributes.first())
    #expect(
      try slow.evolution?.evolve(change, to: metadata, reporter: MigrationReporter()) == false)
    #expect(try store.values("Person", "age") == [.double(36), .null])
    #expect(store.store.metadata.epoch == 1)
  }

  @Test(
    "a change that is cancelled, wherever that is, leaves the store as it was (M25, M51)",
    arguments: EvolvingStore.Kind.allCases)
  func cancelled(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    let mark = try store.store.changeMarks?.changeMark()
    let reports = Mutex(0)
    // The number of reports is only known after a run that is not cancelled.
    var limit = 0
    while true {
      reports.withLock { $0 = 0 }
      let reporter = MigrationReporter { [limit] _ in
        try reports.withLock { count in
          count += 1
          if count > limit { throw PersistenceError(.migrationCancelled, "enough") }
        }
      }
      do {
        try store.evolve(to: Self.next(), from: Attributes.first(), reporter: reporter)
        break
      } catch {
        #expect((error as? PersistenceError)?.code == .migrationCancelled)
        #expect(try kind != .lmdb || store.store.changeMarks?.changeMark() == mark)
        #expect(try store.values("Person", "name") == [.string("Ada"), .string("Grace")])
        #expect(try store.values("Person", "age") == [.integer(36), .null])
      }
      limit += 1
    }
    #expect(limit > 3)
    #expect(try store.values("Person", "age") == [.double(36), .null])
  }

  @Test(
    "a store that is only read is not changed (M54)", arguments: [EvolvingStore.Kind.binary, .lmdb])
  func readOnly(_ kind: EvolvingStore.Kind) throws {
    let store = try Attributes.filled(kind)
    store.store.close()
    var description = store.description
    description.isReadOnly = true
    let file = try #require(description.url)
    let bytes = try Data(contentsOf: file)
    let raw = try description.type.driver.open(description)
    let (change, metadata) = try Self.next().change(from: Attributes.first(), of: raw)
    #expect(try raw.evolution?.steps(of: change).isEmpty == false)
    #expect(try raw.evolution?.storedModel() == Array("people".utf8))
    let error = failure {
      _ = try raw.evolution?.evolve(change, to: metadata, reporter: MigrationReporter())
    }
    #expect(error?.code == .readOnlyStore)
    raw.close()
    #expect(try Data(contentsOf: file) == bytes)
    try store.reopen()
    #expect(try store.values("Person", "name") == [.string("Ada"), .string("Grace")])
  }
}
