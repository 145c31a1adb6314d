// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostStore

@Suite("Bytes of prepared change sets")
struct PreparedChangesTests {
  let person: EntityDescription
  let note: EntityDescription
  let schema: StoreSchema

  init() throws {
    (person, note, schema) = try Self.model()
  }

  private static func model(
    extra: String? = nil
  ) throws -> (EntityDescription, EntityDescription, StoreSchema) {
    let person = EntityDescription(name: "Person")
    let note = EntityDescription(name: "Note")
    let types: KeyValuePairs<String, AttributeType> = [
      "string": .string, "binaryData": .binaryData, "date": .date, "decimal": .decimal,
      "uuid": .uuid, "boolean": .boolean, "integer64": .integer64, "double": .double, "uri": .uri,
    ]
    let attributes = types.map { AttributeDescription(name: $0.key, type: $0.value) }
    attributes.forEach { $0.isOptional = true }
    let passing = AttributeDescription(name: "passing", type: .string)
    passing.isTransient = true
    let tagged = RelationshipDescription(destination: note)
    (tagged.name, tagged.minCount, tagged.maxCount) = ("notes", 0, 0)
    let owners = RelationshipDescription(destination: person)
    (owners.name, owners.minCount, owners.maxCount) = ("owners", 0, 0)
    (tagged.inverseRelationship, owners.inverseRelationship) = (owners, tagged)
    person.properties = attributes + [passing, tagged]
    note.properties =
      [AttributeDescription(name: "title", type: .string), owners]
      + (extra.map { [AttributeDescription(name: $0, type: .string)] } ?? [])
    let model = ManagedObjectModel(entities: [person, note])
    try model.freeze()
    guard case .links(let table, _) = tagged.storage else {
      throw PersistenceError(.invalidModel, "The relationship has no table of links.")
    }
    let schema = StoreSchema(
      identity: StoreIdentity(identifier: "S", type: "None"), model: model,
      entities: [person, note], linkTables: [table],
      codes: ["Person": 3, "Note": 2])
    return (person, note, schema)
  }

  private func row(_ sequence: Int64, _ entity: EntityDescription, version: Int64 = 1) -> Row {
    Row(
      layout: entity.layout,
      key: RecordKey.make(sequence: sequence, entityCode: schema.code(of: entity) ?? 0),
      version: version)
  }

  private func full(_ sequence: Int64, version: Int64 = 1) throws -> Row {
    let row = row(sequence, person, version: version)
    let decimal = try #require(Decimal(string: "-0.12345678901234567890123456789"))
    let uri = try #require(URL(string: "https://example.org/a?b#c"))
    let values: [Value] = [
      .string("Grüße, längere als fünfzehn Bytes"), .data(Data([0, 255])),
      .date(Date(timeIntervalSinceReferenceDate: -1.25)), .decimal(decimal), .uuid(UUID()),
      .boolean(true), .integer(.min), .double(-0.0), .uri(uri),
    ]
    for (value, name) in zip(
      values,
      [
        "string", "binaryData", "date", "decimal", "uuid", "boolean", "integer64", "double", "uri",
      ])
    {
      try row.setValue(value, at: try #require(person.layout.slot(named: name)))
    }
    return row
  }

  /// Returns a change set with an element in each of its lists.
  private func everything() throws -> StoreChangeSet {
    let links = try #require(schema.linkTables.first)
    var metadata = StoreMetadata(storeType: "None")
    metadata.userValues = ["city": .string("Rome")]
    var changes = StoreChangeSet(
      inserted: [try full(1), row(2, note)],
      updated: [RowUpdate(row: try full(4, version: 8), baseVersion: 7, changedSlots: [0, 3])],
      deleted: [RowVersion(key: row(5, note).key, version: 3)],
      locked: [RowVersion(key: row(6, person).key, version: 4)],
      links: [
        LinkChange(
          table: links, source: row(2, note).key, destination: row(1, person).key,
          kind: .link(position: 4, inversePosition: nil)),
        LinkChange(
          table: links, source: row(5, note).key, destination: row(1, person).key, kind: .unlink),
      ],
      metadata: metadata, origin: .init(author: "import", contextName: nil))
    var earlier = metadata
    earlier.userValues = ["city": .string("Paris"), "gone": .integer(1)]
    changes.earlierMetadata = earlier
    var notes = HistoryNotes(
      time: 12.5, relationships: [row(6, person).key: ["notes"]], lastRows: [row(5, note)])
    (notes.reverted, notes.writer, notes.undoGroup) = ([3, -1], 99, UUID())
    notes.save = CommonSave(stores: ["a", "b"])
    changes.notes = notes
    return changes
  }

  @Test("a change set comes back from its bytes as it was (X14)")
  func whole() throws {
    let changes = try everything()
    let bytes = try PreparedChanges.bytes(of: changes, schema)
    let again = try PreparedChanges.changes(in: bytes, schema)
    #expect(try PreparedChanges.bytes(of: again, schema) == bytes)
    #expect(again.inserted.map(\.key) == changes.inserted.map(\.key))
    let (row, same) = (changes.inserted[0], again.inserted[0])
    #expect(row.changedSlots(from: same).isEmpty && same.version == 1)
    #expect(again.updated[0].changedSlots == [0, 3] && again.updated[0].baseVersion == 7)
    #expect(again.updated[0].row.version == 8)
    #expect(again.deleted == changes.deleted && again.locked == changes.locked)
    #expect(again.links.map(\.kind) == changes.links.map(\.kind))
    #expect(again.links.allSatisfy { $0.table === schema.linkTables[0] })
    #expect(again.metadata == changes.metadata && again.origin == changes.origin)
    #expect(again.earlierMetadata == changes.earlierMetadata)
    let (notes, found) = (try #require(changes.notes), try #require(again.notes))
    #expect(found.time == notes.time && found.relationships == notes.relationships)
    #expect(found.lastRows.map(\.key) == notes.lastRows.map(\.key))
    #expect(found.reverted == notes.reverted && found.writer == notes.writer)
    #expect(found.save == notes.save && found.undoGroup == notes.undoGroup)
    #expect(changes.touchedKeys == again.touchedKeys && changes.touchedKeys.count == 5)
  }

  @Test("bytes of the first version, without the values before the metadata, are read (X14)")
  func firstVersion() throws {
    var changes = try everything()
    changes.earlierMetadata = nil
    let metadata = [UInt8](try #require(changes.metadata).json())
    var bytes = Array(try PreparedChanges.bytes(of: changes, schema).dropLast(4))
    let place = try #require(
      bytes.indices.dropLast(metadata.count).first { bytes[$0...].starts(with: metadata) })
    // The second version says here that there are no earlier values.
    #expect(bytes.remove(at: place + metadata.count) == 0)
    bytes[0] = 1
    let again = try PreparedChanges.changes(
      in: bytes + HistoryPacking.checksum(of: bytes), schema)
    #expect(again.metadata == changes.metadata && again.earlierMetadata == nil)
    #expect(again.notes?.save == changes.notes?.save && again.updated.count == 1)
  }

  @Test("what is kept in memory only is not kept (X14, B313)")
  func transients() throws {
    let row = row(1, person)
    let slot = try #require(person.layout.slot(named: "passing"))
    row.setString("by", at: slot)
    let bytes = try PreparedChanges.bytes(of: StoreChangeSet(inserted: [row]), schema)
    let again = try PreparedChanges.changes(in: bytes, schema)
    #expect(again.inserted[0].isNull(slot))
  }

  @Test("damaged bytes are refused and never trap, whatever their checksum (X14)")
  func damage() throws {
    let bytes = try PreparedChanges.bytes(of: try everything(), schema)
    func read(_ bytes: [UInt8]) throws { _ = try PreparedChanges.changes(in: bytes, schema) }
    for place in bytes.indices {
      for pattern in [0x01, 0x11, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] ^= pattern
        let error = #expect(throws: PersistenceError.self) { try read(damaged) }
        #expect(error?.code == .corruptStore)
        // With a valid checksum, as a malicious writer would compute it.
        damaged = Array(damaged.dropLast(4))
        damaged += HistoryPacking.checksum(of: damaged)
        do { try read(damaged) } catch let error as PersistenceError {
          #expect(error.code == .corruptStore)
        }
      }
      var short = Array(bytes[..<place])
      #expect(throws: PersistenceError.self) { try read(short) }
      short += HistoryPacking.checksum(of: short)
      // Cutting off only the checksum and appending it again gives the original bytes.
      if place != bytes.count - 4 { #expect(throws: PersistenceError.self) { try read(short) } }
    }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var damaged = Array(bytes.dropLast(4))
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        damaged[Int.random(in: damaged.indices, using: &generator)] = .random(in: 0...255)
      }
      damaged += HistoryPacking.checksum(of: damaged)
      do { try read(damaged) } catch let error as PersistenceError {
        #expect(error.code == .corruptStore)
      }
    }
  }

  @Test("bytes of another version of the model are refused (X14)")
  func otherModel() throws {
    let bytes = try PreparedChanges.bytes(of: try everything(), schema)
    let (_, _, other) = try Self.model(extra: "added")
    let error = #expect(throws: PersistenceError.self) {
      _ = try PreparedChanges.changes(in: bytes, other)
    }
    #expect(error?.code == .corruptStore)
  }

  @Test("a change set that is too large is refused before it is kept (X14)")
  func limit() throws {
    let changes = try everything()
    let count = try PreparedChanges.bytes(of: changes, schema).count
    _ = try PreparedChanges.bytes(of: changes, schema, largestCount: count - 4)
    let error = #expect(throws: PersistenceError.self) {
      _ = try PreparedChanges.bytes(of: changes, schema, largestCount: count - 5)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("tickets and decisions come back from their bytes, and damage is found (X14)")
  func tickets() throws {
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "D", name: "db.example.org"),
      participants: ["a", "b"], startedAt: 1.5)
    let part = PreparedPart(ticket: ticket, keys: [1, 99, -4])
    let decision = RememberedDecision(ticket: ticket, unacknowledged: ["b"])
    #expect(try PreparedPart(bytes: part.bytes) == part)
    #expect(try RememberedDecision(bytes: decision.bytes) == decision)
    for place in part.bytes.indices {
      var damaged = part.bytes
      damaged[place] ^= 0x11
      #expect(throws: PersistenceError.self) { _ = try PreparedPart(bytes: damaged) }
      damaged = Array(damaged.dropLast(4))
      _ = try? PreparedPart(bytes: damaged + HistoryPacking.checksum(of: damaged))
    }
    for place in decision.bytes.indices {
      var damaged = decision.bytes
      damaged[place] ^= 0x11
      #expect(throws: PersistenceError.self) { _ = try RememberedDecision(bytes: damaged) }
    }
  }
}
