// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of uniqueness constraints: checked after all changes of a save, across the hierarchy, by tuples; for keys
/// that are complete in an index, and for keys that are truncated and hashed.
@Suite struct UniquenessTests {
  let company: Company

  init() throws { company = try Company() }

  static let keyLengths = [Int.max, 40]

  func person(
    _ sequence: Int64, email: String?, name: String? = nil, age: Int64? = nil,
    of entity: EntityDescription? = nil, version: Int64 = 1
  ) -> Row {
    let entity = entity ?? company.person
    let row = Row(
      layout: entity.layout, key: company.key(sequence, entity), version: version)
    if let email { row.setString(email, at: company.slot("email")) }
    if let name { row.setString(name, at: company.slot("name")) }
    if let age { row.setInteger(age, at: company.slot("age")) }
    return row
  }

  func update(_ row: Row) -> RowUpdate {
    RowUpdate(
      row: row, baseVersion: row.version - 1,
      changedSlots: ["email", "name", "age"].map { company.slot($0).index }.sorted())
  }

  /// Returns the conflicts as `key existing attributes`, in order.
  func conflicts(_ store: KeyValueStore, _ changes: StoreChangeSet) throws -> [String] {
    guard case .conflicted(let conflicts) = try store.commit(changes) else { return [] }
    return conflicts.map { conflict in
      guard case .uniqueness(let constraint, let entity, let key, let existing) = conflict else {
        return "a conflict of versions"
      }
      let other = existing.map { "\(RecordKey.sequence(of: $0.key))" } ?? "nobody"
      return
        "\(entity) \(RecordKey.sequence(of: key)) \(other) \(constraint.joined(separator: "+"))"
    }.sorted()
  }

  static let long = String(repeating: "a long address, ", count: 20)

  @Test(
    "a value that is taken is a conflict with the row that has it (B190, B191)",
    arguments: keyLengths)
  func taken(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    let long = UniquenessTests.long
    #expect(
      try conflicts(
        store,
        StoreChangeSet(inserted: [
          person(1, email: "a", name: "x", age: 1), person(2, email: long),
          person(3, email: long + "!"),
        ])) == [])
    #expect(
      try conflicts(
        store,
        StoreChangeSet(inserted: [
          person(4, email: "a"), person(5, email: "b"), person(6, email: long),
          person(7, email: long + "?"), person(8, email: "c", name: "x", age: 1),
        ])) == ["Person 4 1 email", "Person 6 2 email", "Person 8 1 name+age"])
    #expect(try store.rows(forKeys: [company.key(5)]).isEmpty, "nothing was written")
  }

  @Test("two records of one save cannot have one value (B190)", arguments: keyLengths)
  func sameSave(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    let long = UniquenessTests.long
    #expect(
      try conflicts(
        store,
        StoreChangeSet(inserted: [
          person(1, email: "a"), person(2, email: "a"), person(3, email: long),
          person(4, email: long), person(5, email: long + "x"),
        ])) == ["Person 2 1 email", "Person 4 3 email"])
  }

  @Test("two records swap their values in one save (B197)", arguments: keyLengths)
  func swap(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    let long = UniquenessTests.long
    _ = try store.commit(
      StoreChangeSet(inserted: [
        person(1, email: "a"), person(2, email: "b"), person(3, email: long + "1"),
        person(4, email: long + "2"),
      ]))
    #expect(
      try conflicts(
        store,
        StoreChangeSet(updated: [
          update(person(1, email: "b", version: 2)), update(person(2, email: "a", version: 2)),
          update(person(3, email: long + "2", version: 2)),
          update(person(4, email: long + "1", version: 2)),
        ])) == [])
    #expect(
      try conflicts(store, StoreChangeSet(inserted: [person(5, email: "a")])) == [
        "Person 5 2 email"
      ])
  }

  @Test("a value goes from a deleted record to a new one in one save (B198)", arguments: keyLengths)
  func handedOver(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    for email in ["a", UniquenessTests.long] {
      let old = Int64(email.count)
      _ = try store.commit(StoreChangeSet(inserted: [person(old, email: email)]))
      #expect(
        try conflicts(
          store,
          StoreChangeSet(
            inserted: [person(old + 1000, email: email)],
            deleted: [RowVersion(key: company.key(old), version: 1)])) == [])
      #expect(
        try conflicts(store, StoreChangeSet(inserted: [person(old, email: email)])) == [
          "Person \(old) \(old + 1000) email"
        ])
    }
  }

  @Test("tuples with nil do not collide (B195)", arguments: keyLengths)
  func missingValues(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    #expect(
      try conflicts(
        store,
        StoreChangeSet(inserted: [
          person(1, email: nil, name: "x"), person(2, email: nil, name: "x"),
          person(3, email: nil, age: 3), person(4, email: nil, age: 3), person(5, email: nil),
        ])) == [])
  }

  @Test(
    "uniqueness is over the hierarchy of the entity that declares it (B196)", arguments: keyLengths)
  func hierarchy(keyLength: Int) throws {
    let store = try company.store(longestEntryKey: keyLength)
    _ = try store.commit(StoreChangeSet(inserted: [person(1, email: "a")]))
    #expect(
      try conflicts(
        store, StoreChangeSet(inserted: [person(2, email: "a", of: company.employee)])) == [
          "Person 2 1 email"
        ])
  }

  @Test(
    "strings are unique by their bytes: composed and decomposed letters differ (value contract)")
  func bytes() throws {
    let store = try company.store()
    #expect(
      try conflicts(
        store,
        StoreChangeSet(inserted: [
          person(1, email: "\u{E9}"), person(2, email: "e\u{301}"), person(3, email: "E\u{301}"),
        ])) == [])
  }

  @Test("an update that keeps its own value is no conflict")
  func unchanged() throws {
    let store = try company.store()
    _ = try store.commit(StoreChangeSet(inserted: [person(1, email: "a", name: "x", age: 1)]))
    #expect(
      try conflicts(
        store,
        StoreChangeSet(updated: [
          update(person(1, email: "a", name: "x", age: 2, version: 2))
        ])) == [])
  }

  @Test("a constraint that the records of a store already break is refused when it is added (B14)")
  func addedLater() throws {
    let tables = MemoryTables()
    let first = try KeyValueStore(
      engine: MemoryEngine(tables: tables), description: .inMemory(), storeType: "InMemory")
    try first.prepare(company.schema, metadata: first.metadata)
    let tags = (1...3).map {
      Row(layout: company.tag.layout, key: company.key($0, company.tag), version: 1)
    }
    for tag in tags { tag.setString("same", at: company.slot("label", of: company.tag)) }
    _ = try first.commit(StoreChangeSet(inserted: tags))
    first.close()
    let other = try Company { $0["Tag"]?.uniquenessConstraints = [["label"]] }
    let second = try KeyValueStore(
      engine: MemoryEngine(tables: tables), description: .inMemory(), storeType: "InMemory")
    #expect(throws: PersistenceError(.migrationConstraintViolation, "")) {
      try second.prepare(other.schema, metadata: second.metadata)
    }
  }
}
