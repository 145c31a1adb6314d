// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostSQL
import RoostStore
import Testing

@testable import RoostPostgreSQL

/// A store of notes on a server with prepared transactions, and change sets for it.
struct PreparationDesk {
  let notebook: Notebook
  let store: PostgreSQLStore
  let preparation: any StorePreparation
  private let schema: StoreSchema

  init(_ server: String, timeout: Double = 60) throws {
    var description = try PersistentStoreDescription.postgresql(
      server, schema: "test_\(UUID().uuidString)")
    description.timeout = timeout
    try self.init(description)
  }

  /// The name of the schema.
  var schemaName: String { store.pool.settings.schema }

  init(_ description: PersistentStoreDescription) throws {
    notebook = try Notebook(description)
    store = try #require(notebook.store as? PostgreSQLStore)
    preparation = try #require(store.preparation)
    self.schema = try store.prepared().mapping.store
  }

  /// Returns a part that inserts a note.
  func part(_ code: String) throws -> StoreChangeSet {
    let note = try #require(schema.entities.first { $0.name == "Note" })
    let entityCode = try #require(schema.code(of: note))
    let sequence = try store.reserveSequences(1).lowerBound
    let row = Row(
      layout: note.layout, key: RecordKey.make(sequence: sequence, entityCode: entityCode),
      version: 1)
    for slot in note.layout.storedSlots {
      let name = note.layout.names[slot.index]
      try row.setValue(
        slot.kind == .integer ? .integer(0) : .string(name == "code" ? code : ""), at: slot)
    }
    var changes = StoreChangeSet()
    changes.inserted = [row]
    return changes
  }

  func ticket(_ coordinator: UUID, participants: [String] = ["A"]) -> SaveTicket {
    SaveTicket(
      coordinator: coordinator, decider: .init(identifier: "D", name: "the decider"),
      participants: participants, startedAt: Date.now.timeIntervalSinceReferenceDate)
  }

  func prepare(_ code: String, _ ticket: SaveTicket) throws {
    guard case .prepared = try preparation.prepare(part(code), for: ticket) else {
      throw UnexpectedEnding()
    }
  }
}

/// A save had an outcome that the test does not expect.
struct UnexpectedEnding: Error {}
