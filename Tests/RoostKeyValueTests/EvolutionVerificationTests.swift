// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostKeyValue

/// Tests of the verification before a migration is committed, with engines that migrate incorrectly.
@Suite struct EvolutionVerificationTests {
  typealias Attributes = AttributeEvolutionTests

  /// The types whose engines can read an uncommitted migration.
  static let kinds: [EvolvingStore.Kind] = [.memory, .binary, .lmdb]

  private func next() throws -> ModelVersion {
    try Attributes.people(
      attribute("name", .string),
      attribute("age", .integer32, default: .integer(0), isOptional: false))
  }

  /// Migrates a store of three people whose engine adds a change of the last one.
  ///
  /// - Returns: The code of the error; nil when the change was made.
  private func outcome(
    _ kind: EvolvingStore.Kind, _ verification: EvolutionPolicy.Verification,
    _ change: @escaping (Int64, EntityDescription) throws -> RecordChange?
  ) throws -> PersistenceError.Code? {
    let store = try EvolvingStore(kind, Attributes.first())
    try store.insert("Person", ["name": .string("Ada"), "age": .integer(36)])
    try store.insert("Person", ["name": .string("Grace")])
    let last = try store.insert("Person", ["name": .string("Linus"), "age": .integer(50)])
    store.store.close()
    var description = store.description
    description.evolution.verify = verification
    let raw = try #require(try description.type.driver.open(description) as? KeyValueStore)
    let next = try next()
    let person = next.entity("Person")
    let engine = TamperingEngine(raw.engine) { batch in
      if let change = try change(last, person) { batch.change([change]) }
    }
    let broken = try KeyValueStore(
      engine: engine, description: description, storeType: raw.metadata.storeType)
    defer { raw.close() }
    let (difference, metadata) = try next.change(from: Attributes.first(), of: broken)
    do {
      #expect(try broken.evolve(difference, to: metadata, reporter: MigrationReporter()))
      return nil
    } catch let error as PersistenceError {
      raw.close()
      try store.reopen()
      #expect(try store.values("Person", "name") == ["Ada", "Grace", "Linus"].map(Value.string))
      #expect(try store.values("Person", "age") == [.integer(36), .null, .integer(50)])
      return error.code
    }
  }

  @Test("a migration that loses a record is taken back (M57)", arguments: kinds)
  func lost(_ kind: EvolvingStore.Kind) throws {
    let lose = { (key: Int64, _: EntityDescription) in RecordChange(key: key, row: nil) }
    #expect(try outcome(kind, .counts, lose) == .migration)
    #expect(try outcome(kind, .checksums, lose) == .migration)
    #expect(try outcome(kind, .off, lose) == nil)
  }

  @Test(
    "a migration that changes a value is taken back where checksums are compared (M57)",
    arguments: kinds)
  func changed(_ kind: EvolvingStore.Kind) throws {
    let change = { (key: Int64, person: EntityDescription) in
      let row = Row(layout: person.layout, key: key, version: 1)
      try row.setValue(.string("Linux"), at: #require(row.layout.slot(named: "name")))
      try row.setValue(.integer(50), at: #require(row.layout.slot(named: "age")))
      return RecordChange(key: key, row: row) as RecordChange?
    }
    #expect(try outcome(kind, .counts, change) == nil)
    #expect(try outcome(kind, .checksums, change) == .migration)
  }

  @Test("a migration that does it right passes every comparison (M57)", arguments: kinds)
  func right(_ kind: EvolvingStore.Kind) throws {
    #expect(try outcome(kind, .counts) { _, _ in nil } == nil)
    #expect(try outcome(kind, .checksums) { _, _ in nil } == nil)
  }
}

/// An engine that tampers with the writes of a migration, in front of another engine.
private final class TamperingEngine: ForwardingEngine {
  let base: any KeyValueEngine
  // Called on the test's thread only.
  nonisolated(unsafe) let tamper: (inout WriteBatch) throws -> Void

  init(_ base: any KeyValueEngine, _ tamper: @escaping (inout WriteBatch) throws -> Void) {
    self.base = base
    self.tamper = tamper
  }

  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    try base.evolve(
      change,
      by: EvolutionWork(
        write: { snapshot, batch, handOver in
          try work.write(snapshot, &batch, handOver)
          try self.tamper(&batch)
        }, verify: work.verify))
  }
}
