// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of the checks of a commit before it writes, and of its atomicity.
@Suite struct CommitTests {
  let company: Company
  let store: KeyValueStore

  init() throws {
    company = try Company()
    store = try company.store()
    let tags = (1...5).map { tag($0, "tag \($0)") }
    _ = try store.commit(StoreChangeSet(inserted: tags))
  }

  func tag(_ sequence: Int64, _ label: String, version: Int64 = 1) -> Row {
    let row = Row(
      layout: company.tag.layout, key: company.key(sequence, company.tag), version: version)
    row.setString(label, at: company.slot("label", of: company.tag))
    return row
  }

  func update(_ sequence: Int64, _ label: String, from version: Int64) -> RowUpdate {
    RowUpdate(
      row: tag(sequence, label, version: version + 1), baseVersion: version,
      changedSlots: [company.slot("label", of: company.tag).index])
  }

  func key(_ sequence: Int64) -> Int64 { company.key(sequence, company.tag) }

  /// Returns the labels and versions of all tags, by sequence.
  func contents() throws -> [String] {
    guard
      case .rows(let rows) = try store.fetch(
        company.fetch(of: company.tag)
      ).content
    else { return [] }
    return rows.map {
      "\(RecordKey.sequence(of: $0.key)) \($0.string(company.slot("label", of: company.tag))) "
        + "\($0.version)"
    }
  }

  @Test("an update and a deletion in the version that was read are written (B173)")
  func matchingVersions() throws {
    let changes = StoreChangeSet(
      updated: [update(1, "one", from: 1)], deleted: [RowVersion(key: key(2), version: 1)],
      locked: [RowVersion(key: key(3), version: 1)])
    guard case .committed = try store.commit(changes) else {
      Issue.record("no conflict was expected")
      return
    }
    #expect(try contents() == ["1 one 2", "3 tag 3 2", "4 tag 4 1", "5 tag 5 1"])
  }

  @Test("all conflicts are reported with the rows as they are, and nothing is written (B176, B177)")
  func conflicts() throws {
    _ = try store.commit(
      StoreChangeSet(
        updated: [update(1, "theirs", from: 1)], deleted: [RowVersion(key: key(2), version: 1)]))
    let before = try contents()
    let outcome = try store.commit(
      StoreChangeSet(
        inserted: [tag(9, "new")],
        updated: [
          update(1, "mine", from: 1), update(2, "mine", from: 1), update(3, "fine", from: 1),
        ],
        deleted: [RowVersion(key: key(4), version: 7)],
        locked: [RowVersion(key: key(5), version: 2)]))
    guard case .conflicted(let conflicts) = outcome else {
      Issue.record("conflicts were expected")
      return
    }
    var found: [Int64: Int64?] = [:]
    for case .version(let key, _, let current) in conflicts {
      found[RecordKey.sequence(of: key)] = .some(current?.version)
    }
    #expect(found == [1: 2, 2: nil, 4: 1, 5: 1])
    #expect(try contents() == before)
  }

  @Test("a key that is given twice is a conflict, not an overwritten record (B303)")
  func givenTwice() throws {
    let outcome = try store.commit(StoreChangeSet(inserted: [tag(1, "again")]))
    guard case .conflicted(let conflicts) = outcome,
      case .version(let key, 0, let current?) = conflicts[0]
    else {
      Issue.record("a conflict was expected")
      return
    }
    #expect(key == self.key(1) && current.version == 1 && conflicts.count == 1)
  }

  @Test("a key of an entity that the store does not hold is refused (B138)")
  func foreignKey() throws {
    let row = Row(
      layout: company.tag.layout, key: RecordKey.make(sequence: 1, entityCode: 99), version: 1)
    #expect(throws: PersistenceError(.unknownEntity, "")) {
      try store.commit(StoreChangeSet(inserted: [tag(7, "seven"), row]))
    }
    #expect(try contents().count == 5)
  }

  @Test("a value that is kept in memory only is not stored (B313)")
  func transientValues() throws {
    let row = Row(layout: company.person.layout, key: company.key(50), version: 1)
    row.setString("shown", at: company.slot("name"))
    row.setString("hidden", at: company.slot("note"))
    _ = try store.commit(StoreChangeSet(inserted: [row]))
    let stored = try store.rows(forKeys: [row.key])[0]
    #expect(stored.string(company.slot("name")) == "shown" && stored.isNull(company.slot("note")))
    #expect(row.string(company.slot("note")) == "hidden")
  }

  @Test("metadata is written with a commit, and alone (B244, B323)")
  func metadata() throws {
    var metadata = store.metadata
    metadata.userValues["author"] = .string("Ada")
    metadata.userValues["pi"] = .double(.infinity)
    _ = try store.commit(StoreChangeSet(metadata: metadata))
    #expect(store.metadata == metadata)
    #expect(try store.engine.reading { try KeyValueStore.metadata(in: $0) } == metadata)
  }

  @Test("numbers for keys are never given twice, and run out with an error")
  func sequences() throws {
    let first = try store.reserveSequences(10)
    let second = try store.reserveSequences(1)
    #expect(first.count == 10 && second.lowerBound == first.upperBound + 1)
    let largest = SequenceCounter.largest
    _ = try store.reserveSequences(Int(largest - second.upperBound))
    #expect(throws: PersistenceError(.limitExceeded, "")) { try store.reserveSequences(1) }
    #expect(RecordKey.sequence(of: RecordKey.make(sequence: largest, entityCode: 9)) == largest)
  }

  @Test("a read-only store is read, and refuses every write (B236)")
  func readOnly() throws {
    var description = PersistentStoreDescription.inMemory()
    description.isReadOnly = true
    let store = try KeyValueStore(
      engine: MemoryEngine(), description: description, storeType: "InMemory")
    try store.prepare(company.schema, metadata: store.metadata)
    #expect(try store.rows(forKeys: [key(1)]).isEmpty)
    let department = company.department.relationshipsByName["people"]!
    #expect(try store.destinations(of: department, forSources: [1]).keys.isEmpty)
    #expect(throws: PersistenceError(.readOnlyStore, "")) {
      try store.commit(StoreChangeSet(inserted: [tag(1, "x")]))
    }
    #expect(throws: PersistenceError(.readOnlyStore, "")) { try store.reserveSequences(1) }
  }

  @Test("a store that was closed or not prepared refuses requests, it does not trap")
  func closed() throws {
    let unprepared = try KeyValueStore(
      engine: MemoryEngine(), description: .inMemory(), storeType: "InMemory")
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
      try unprepared.rows(forKeys: [1])
    }
    store.close()
    store.close()
    #expect(throws: PersistenceError(.storeRemoved, "")) { try store.rows(forKeys: [1]) }
    #expect(throws: PersistenceError(.storeRemoved, "")) {
      try store.commit(StoreChangeSet(inserted: [tag(1, "x")]))
    }
    #expect(throws: PersistenceError(.storeRemoved, "")) {
      try store.fetch(company.fetch(of: company.tag))
    }
  }
}
