// SPDX-License-Identifier: Apache-2.0

import Roost

/// Resolves the names of a recording in the replayed store: entities and relationships by name, records by their keys
/// in the recorded store.
final class ReplayNames {
  private let schema: StoreSchema
  private let store: any PersistentStore
  private let entitiesByName: [String: EntityDescription]
  private let recordedEntities: [Int: EntityDescription]
  private var sequences: [Int64: Int64] = [:]
  /// The variables of the enclosing subqueries.
  private var variables: [Int] = []

  init(_ head: RecordingHead, schema: StoreSchema, store: any PersistentStore) {
    self.schema = schema
    self.store = store
    entitiesByName = schema.model.entitiesByName
    var byCode: [Int: EntityDescription] = [:]
    for (name, code) in head.entityCodes { byCode[code] = entitiesByName[name] }
    recordedEntities = byCode
  }

  func entity(_ name: String) throws -> EntityDescription {
    guard let entity = entitiesByName[name] else {
      throw RecordingError("The recording names an entity \(name) that its model does not have.")
    }
    return entity
  }

  func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
    guard let relationship = try self.entity(entity).relationshipsByName[name] else {
      throw RecordingError("\(entity) has no relationship \(name).")
    }
    return relationship
  }

  func function(_ name: String) throws -> FetchFunction {
    guard let function = FetchFunction(rawValue: name) else {
      throw RecordingError("The recording calls \(name), which is unknown.")
    }
    return function
  }

  /// Resolves the content of a subquery.
  ///
  /// - Throws: ``RecordingError`` for an invalid or repeated variable number.
  func inSubquery<Result>(of variable: Int, _ body: () throws -> Result) throws -> Result {
    guard (0..<1_000).contains(variable), !variables.contains(variable) else {
      throw RecordingError("The recording has a subquery with the variable \(variable).")
    }
    variables.append(variable)
    defer { variables.removeLast() }
    return try body()
  }

  func isInSubquery(of variable: Int) -> Bool { variables.contains(variable) }

  /// Maps recorded numbers to the numbers reserved in this store.
  func take(_ range: ClosedRange<Int64>, for first: Int64) {
    for (offset, number) in range.enumerated() { sequences[first + Int64(offset)] = number }
  }

  /// Returns the key in this store of a recorded record. An unknown record gets an unused number: no such record
  /// exists here, as none existed in the recorded store.
  func key(_ recorded: Int64) throws -> Int64 {
    guard let entity = recordedEntities[RecordKey.entityCode(of: recorded)],
      let code = schema.code(of: entity)
    else { throw RecordingError("The recording has a key of an entity that it does not name.") }
    let sequence = RecordKey.sequence(of: recorded)
    if let known = sequences[sequence] { return RecordKey.make(sequence: known, entityCode: code) }
    let made = try store.reserveSequences(1).lowerBound
    sequences[sequence] = made
    return RecordKey.make(sequence: made, entityCode: code)
  }

  func objectID(_ recorded: Int64) throws -> ObjectID? {
    schema.objectID(forKey: try key(recorded))
  }

  /// Reserves numbers for all records of the initial content at once.
  func makeRoom(for rows: [RecordedRow]) throws {
    let unknown = rows.map { RecordKey.sequence(of: $0.key) }.filter { sequences[$0] == nil }
    guard !unknown.isEmpty else { return }
    for (number, recorded) in zip(try store.reserveSequences(unknown.count), unknown) {
      sequences[recorded] = number
    }
  }

  func row(_ recorded: RecordedRow) throws -> Row {
    let layout = try entity(recorded.entity).layout
    let row = Row(layout: layout, key: try key(recorded.key), version: recorded.version)
    for (name, value) in recorded.values {
      guard let slot = layout.slot(named: name) else {
        throw RecordingError("\(recorded.entity) has no \(name).")
      }
      guard slot.kind == .reference, case .integer(let destination) = value else {
        try row.setValue(try value.value(objectID), at: slot)
        continue
      }
      row.setInteger(try key(destination), at: slot)
    }
    return row
  }
}
