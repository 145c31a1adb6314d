// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostStore

@Suite("Contents of transactions")
struct HistoryContentTests {
  let person = EntityDescription(name: "Person")
  let note = EntityDescription(name: "Note")
  let schema: StoreSchema

  init() throws {
    let kept: [AttributeDescription] = [
      .init(name: "text", type: .string), .init(name: "data", type: .binaryData),
      .init(name: "date", type: .date), .init(name: "decimal", type: .decimal),
      .init(name: "uuid", type: .uuid), .init(name: "truth", type: .boolean),
      .init(name: "number", type: .integer64), .init(name: "double", type: .double),
      .init(name: "uri", type: .uri),
    ]
    for attribute in kept { attribute.preservesValueInHistoryOnDeletion = true }
    person.properties = kept + [AttributeDescription(name: "lost", type: .string)]
    note.properties = [AttributeDescription(name: "title", type: .string)]
    let model = ManagedObjectModel(entities: [person, note])
    try model.freeze()
    schema = StoreSchema(
      identity: StoreIdentity(identifier: "S", type: "None"), model: model,
      entities: [person, note], linkTables: [], codes: ["Person": 3, "Note": 2])
  }

  private func row(_ sequence: Int64, _ entity: EntityDescription, version: Int64 = 1) -> Row {
    Row(
      layout: entity.layout,
      key: RecordKey.make(sequence: sequence, entityCode: schema.code(of: entity) ?? 0),
      version: version)
  }

  private func read(_ changes: StoreChangeSet) throws -> [StoreRecordChange] {
    let content = try #require(try HistoryContent(changes, of: schema))
    return try HistoryContent(bytes: content.bytes).changes()
  }

  @Test("each record is listed once, by kind, entity and key (H3)")
  func order() throws {
    let changes = StoreChangeSet(
      inserted: [row(9, person), row(4, note), row(2, person)],
      updated: [
        RowUpdate(row: row(8, person, version: 2), baseVersion: 1, changedSlots: [6, 0]),
        RowUpdate(row: row(5, note, version: 2), baseVersion: 1, changedSlots: [0]),
        RowUpdate(row: row(1, person, version: 2), baseVersion: 1, changedSlots: [1]),
      ],
      deleted: [RowVersion(key: row(7, note).key, version: 3)],
      locked: [RowVersion(key: row(3, person).key, version: 3)])
    let words = try read(changes).map { change in
      ([change.kind, RecordKey.entityCode(of: change.key), RecordKey.sequence(of: change.key)]
        as [Any]).map { "\($0)" }.joined(separator: " ") + " "
        + change.properties.joined(separator: ",")
    }
    #expect(
      words == [
        "insert 2 4 ", "insert 3 2 ", "insert 3 9 ", "update 2 5 title", "update 3 1 data",
        "update 3 3 ", "update 3 8 number,text", "delete 2 7 ",
      ])
  }

  @Test("values of every type outlive their record (H6)")
  func tombstones() throws {
    let decimal = try #require(Decimal(string: "-0.12345678901234567890123456789"))
    let uri = try #require(URL(string: "https://example.org/a?b#c"))
    let values: [String: Value] = [
      "text": .string("Grüße"), "data": .data(Data([0, 255])),
      "date": .date(Date(timeIntervalSinceReferenceDate: -1.25)),
      "decimal": .decimal(decimal),
      "uuid": .uuid(UUID()), "truth": .boolean(false), "number": .integer(.min),
      "double": .double(.leastNonzeroMagnitude), "uri": .uri(uri),
    ]
    let last = row(1, person)
    for (name, value) in values {
      try last.setValue(value, at: try #require(person.layout.slot(named: name)))
    }
    last.setString("gone", at: try #require(person.layout.slot(named: "lost")))
    let empty = row(2, person)
    let changes = StoreChangeSet(
      deleted: [last, empty].map { RowVersion(key: $0.key, version: 1) }, locked: [])
    var noted = changes
    noted.notes = HistoryNotes(time: 0, lastRows: [last, empty])
    let found = try read(noted)
    #expect(found.map(\.tombstone) == [values, [:]])
  }

  @Test("records whose keys follow each other take next to nothing (H1)")
  func size() throws {
    let rows = (1...100_000).map { row($0, note) }
    let content = try #require(try HistoryContent(StoreChangeSet(inserted: rows), of: schema))
    #expect(content.bytes.count < 200)
    #expect(try content.changes().count == 100_000)
  }

  @Test("records are found without decoding the changes, exactly those that changed (H14)")
  func search() throws {
    for round in Int64(0)..<100 {
      /// Records with some sequence numbers below 40, of both entities, in runs and alone.
      func rows(_ count: Int64, _ step: Int64) -> [Row] {
        Set((0..<count).map { (round * 7 + $0 * step) % 40 + 1 }).map {
          row($0, ($0 + round) % 3 == 0 ? person : note, version: 2)
        }
      }
      let (inserted, deleted) = (rows(6, 1), rows(round % 4, 11))
      let updated = rows(4, 5).map {
        RowUpdate(row: $0, baseVersion: 1, changedSlots: round % 2 == 0 ? [0] : [])
      }
      var changes = StoreChangeSet(
        inserted: inserted, updated: updated,
        deleted: deleted.map { RowVersion(key: $0.key, version: 2) })
      for row in deleted where row.layout === person.layout {
        row.setString("kept", at: try #require(person.layout.slot(named: "text")))
      }
      changes.notes = HistoryNotes(time: 0, lastRows: deleted)
      let content = try #require(try HistoryContent(changes, of: schema))
      let keys = Set(try content.changes().map(\.key))
      for code in 1...4 {
        for sequence in Int64(0)...41 {
          let key = RecordKey.make(sequence: sequence, entityCode: code)
          let isFound = try content.changes(anyOf: RecordSelection([key]))
          #expect(isFound == keys.contains(key))
        }
      }
      #expect(try content.changes(anyOf: RecordSelection(keys)))
      #expect(try !content.changes(anyOf: RecordSelection([])))
    }
  }

  @Test("a change set that changes no record has no content (H1)")
  func nothing() throws {
    let metadata = StoreMetadata(storeType: "S")
    #expect(try HistoryContent(StoreChangeSet(), of: schema) == nil)
    #expect(try HistoryContent(StoreChangeSet(metadata: metadata), of: schema) == nil)
  }

  @Test("a content that was damaged is found, and never traps (H34)")
  func damage() throws {
    let changes = StoreChangeSet(
      inserted: [row(9, person)],
      deleted: [RowVersion(key: row(7, person).key, version: 3)],
      origin: .init(author: "import"))
    let content = try #require(try HistoryContent(changes, of: schema))
    for place in content.bytes.indices {
      var damaged = content.bytes
      damaged[place] ^= 0x11
      #expect(throws: PersistenceError.self) { _ = try HistoryContent(bytes: damaged) }
      #expect(throws: PersistenceError.self) {
        _ = try HistoryContent(bytes: Array(content.bytes[..<place]))
      }
      // With a valid checksum, as a malicious writer would compute it.
      damaged = Array(damaged.dropLast(4))
      damaged += HistoryPacking.checksum(of: damaged)
      _ = try? HistoryContent(bytes: damaged).changes()
    }
  }

  @Test("the error of an unreadable transaction names it, and how to go on (H34)")
  func damagedTransaction() throws {
    let error = #expect(throws: PersistenceError.self) {
      _ = try HistoryContent(bytes: [1, 2, 3, 4, 5, 6], ofTransaction: 4_711)
    }
    #expect(error?.code == .corruptStore && error?.message.contains("4711") == true)
    #expect(error?.remedy.contains("deleteHistory") == true)
  }

  @Test("more changes than have numbers are refused (H3)")
  func limit() throws {
    try HistoryContent.checkChanges(1 << 28)
    let error = #expect(throws: PersistenceError.self) {
      try HistoryContent.checkChanges(1 << 28 + 1)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("a save in several stores is named, and other contents stay as they were (H17)")
  func saves() throws {
    var changes = StoreChangeSet(inserted: [row(4, person)])
    changes.notes = HistoryNotes(time: 0)
    let plain = try #require(try HistoryContent(changes, of: schema))
    #expect(plain.bytes.first == 1 && plain.saveID == nil)
    let save = CommonSave(stores: ["a", "b", "c"])
    changes.notes?.save = save
    let named = try #require(try HistoryContent(changes, of: schema))
    #expect(named.bytes.first == 3 && named.bytes.count == plain.bytes.count + 17 + 6)
    let read = try HistoryContent(bytes: named.bytes)
    #expect(read.save == save && read.saveID == save.id.uuid)
    #expect(try read.changes().map(\.kind) == [.insert])
    let group = UUID()
    for (number, known) in [(5, nil), (7, save)] as [(UInt8, CommonSave?)] {
      changes.notes?.save = known
      changes.notes?.undoGroup = group
      let grouped = try #require(try HistoryContent(changes, of: schema))
      #expect(grouped.bytes.first == number)
      let read = try HistoryContent(bytes: grouped.bytes)
      #expect(read.undoGroup == group && read.save == known && plain.undoGroup == nil)
      #expect(try read.changes().map(\.kind) == [.insert])
    }
    // One of the second version, with values and nothing taken back: an insertion, and no links.
    let former: [UInt8] =
      [2, 0, 0, 1, 0x70, 3, 0x70, 0x2D, 0x31, 0, 0, 1] + [0, 3, 1, 8, 1] + [0]
    let second = try HistoryContent(bytes: former + HistoryPacking.checksum(of: former))
    #expect(second.hasPreviousValues && second.saveID == nil && second.processID == "p-1")
    #expect(try second.changes().map { RecordKey.sequence(of: $0.key) } == [4])
    for place in named.bytes.indices {
      var damaged = Array(named.bytes[..<place])
      #expect(throws: PersistenceError.self) { _ = try HistoryContent(bytes: damaged) }
      damaged += HistoryPacking.checksum(of: damaged)
      _ = try? HistoryContent(bytes: damaged).changes()
    }
  }

  @Test("a transaction of more than 900 MB is refused before an engine refuses it (H7)")
  func tooLarge() throws {
    try HistoryContent.checkSize(HistoryContent.largestSize)
    let error = #expect(throws: PersistenceError.self) {
      try HistoryContent.checkSize(HistoryContent.largestSize + 1)
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.remedy.contains("fewer records") == true)
  }

  @Test("time does not go back, and a digest tells what came before (H5, H10)")
  func chain() throws {
    let content = try #require(
      try HistoryContent(StoreChangeSet(inserted: [row(1, note)]), of: schema))
    let first = HistoryLink.beginning.next(content, at: 100)
    let second = first.next(content, at: 50)
    #expect(first.timestamp == 100 && second.timestamp == 100)
    #expect(second.number == 2 && second.digest != first.digest)
    let other = HistoryLink.beginning.next(content, at: 101).next(content, at: 100)
    #expect(other.digest != second.digest, "the same content after another one")
  }
}
