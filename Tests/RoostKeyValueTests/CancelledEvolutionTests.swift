// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostKeyValue

@Suite("Evolutions of key-value stores that are cancelled, and what they hold")
struct CancelledEvolutionTests {
  /// An engine that notes how much is handed over at a time, in front of another one.
  private final class PortionedEngine: ForwardingEngine {
    let base: any KeyValueEngine
    private let noted = Mutex<[Int]>([])

    init(_ base: any KeyValueEngine) {
      self.base = base
    }

    var portions: [Int] { noted.withLock { $0 } }

    func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
      try base.evolve(
        change,
        by: EvolutionWork(
          write: { snapshot, batch, handOver in
            try work.write(snapshot, &batch) { portion in
              let count = portion.records.reduce(0) { $0 + $1.changes.count }
              self.noted.withLock { $0.append(count) }
              try handOver(&portion)
            }
          }, verify: work.verify))
    }
  }

  private static func version(_ name: String, isOptional: Bool) throws -> ModelVersion {
    try ModelVersion(name) {
      let person = entity("Person")
      let age = attribute("age", .integer32)
      age.isOptional = isOptional
      if !isOptional { age.defaultValue = 7 as Int32 }
      person.properties = [attribute("name", .string), age]
      return [person]
    }
  }

  private static let count = 5_000

  private func filled(_ kind: EvolvingStore.Kind) throws -> EvolvingStore {
    let store = try EvolvingStore(kind, Self.version("first", isOptional: true))
    let sequences = try store.store.reserveSequences(Self.count)
    let rows = try sequences.map { sequence in
      try store.row(
        "Person",
        key: RecordKey.make(
          sequence: sequence, entityCode: store.store.metadata.entityCodes["Person"] ?? 0),
        ["name": .string("p")])
    }
    guard case .committed = try store.store.commit(StoreChangeSet(inserted: rows)) else {
      throw PersistenceError(.persistentStoreSave, "The rows were refused.")
    }
    return store
  }

  @Test(
    "a plan that is cancelled ends, and so does an evolution (M25, M51)",
    arguments: [
      EvolvingStore.Kind.memory, .binary, .lmdb,
    ])
  func cancelled(_ kind: EvolvingStore.Kind) throws {
    let store = try filled(kind)
    store.store.close()
    let next = try Self.version("second", isOptional: false)
    let raw = try store.description.type.driver.open(store.description)
    defer { raw.close() }
    let (change, metadata) = try next.change(from: store.version, of: raw)
    let cancellation = RequestCancellation()
    cancellation.cancel()
    let evolution = try #require(raw.cancellable(by: cancellation).evolution)
    #expect(throws: RequestCancellation.error) { try evolution.steps(of: change) }
    #expect(throws: RequestCancellation.error) {
      try evolution.evolve(change, to: metadata, reporter: MigrationReporter())
    }
    let steps = try #require(raw.evolution).steps(of: change)
    #expect(steps.reduce(0) { $0 + $1.rows } == Self.count)
  }

  @Test("LMDB is given the records of a large evolution in portions, and never all of them (M23)")
  func portions() throws {
    let store = try filled(.lmdb)
    store.store.close()
    let next = try Self.version("second", isOptional: false)
    let raw = try #require(
      try store.description.type.driver.open(store.description) as? KeyValueStore)
    defer { raw.close() }
    let engine = PortionedEngine(raw.engine)
    let watched = try KeyValueStore(
      engine: engine, description: store.description, storeType: raw.metadata.storeType)
    let (change, metadata) = try next.change(from: store.version, of: watched)
    #expect(try watched.evolve(change, to: metadata, reporter: MigrationReporter()))
    #expect(engine.portions.reduce(0, +) == Self.count)
    #expect(engine.portions.max() ?? 0 < Self.count / 2)
  }
}
