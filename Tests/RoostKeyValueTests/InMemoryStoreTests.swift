// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of in-memory stores with and without a name: their shared data, its lifetime, and operations on closed
/// stores.
@Suite struct InMemoryStoreTests {
  let company: Company
  let driver = PersistentStoreType.inMemory.driver

  init() throws { company = try Company() }

  func open(
    _ description: PersistentStoreDescription, _ company: Company? = nil
  ) throws -> any PersistentStore {
    let company = company ?? self.company
    let store = try driver.open(description)
    let schema = StoreSchema(
      identity: store.identity, model: company.model, entities: company.schema.entities,
      linkTables: company.model.linkTables,
      codes: ["Person": 1, "Employee": 2, "Department": 3, "Tag": 4])
    try store.prepare(schema, metadata: store.metadata)
    return store
  }

  func tag(_ sequence: Int64, _ label: String, _ company: Company? = nil) -> Row {
    let company = company ?? self.company
    let row = Row(
      layout: company.tag.layout, key: company.key(sequence, company.tag), version: 1)
    row.setString(label, at: company.slot("label", of: company.tag))
    return row
  }

  func labels(_ store: any PersistentStore, _ company: Company? = nil) throws -> [String] {
    let company = company ?? self.company
    guard case .rows(let rows) = try store.fetch(company.fetch(of: company.tag)).content else {
      Issue.record("The answer has another form.")
      return []
    }
    return rows.map { $0.string(company.slot("label", of: company.tag)) }
  }

  @Test("a store without a name is new each time (B322)")
  func unnamed() throws {
    let first = try open(.inMemory())
    _ = try first.commit(StoreChangeSet(inserted: [tag(1, "one")]))
    let second = try open(.inMemory(configuration: "Other"))
    #expect(try labels(second).isEmpty)
    #expect(first.identity.identifier != second.identity.identifier)
    #expect(second.description.configuration == "Other" && second.description.url == nil)
  }

  @Test("stores with one name share their records and their identity, open or reopened")
  func named() throws {
    let description = PersistentStoreDescription.inMemory(named: "shared \(UUID())")
    let first = try open(description)
    let second = try open(description)
    #expect(first.identity.identifier == second.identity.identifier)
    _ = try first.commit(StoreChangeSet(inserted: [tag(1, "one")]))
    _ = try second.commit(StoreChangeSet(inserted: [tag(2, "two")]))
    #expect(try labels(first) == ["one", "two"])
    let reserved = try first.reserveSequences(5)
    first.close()
    second.close()
    let third = try open(description)
    #expect(try labels(third) == ["one", "two"])
    #expect(try third.reserveSequences(1).lowerBound > reserved.upperBound)
    third.close()
    try driver.destroy(description)
    #expect(try driver.metadata(of: description) == nil)
  }

  @Test("metadata is read and written without a store (B245)")
  func metadata() throws {
    let description = PersistentStoreDescription.inMemory(named: "metadata \(UUID())")
    #expect(try driver.metadata(of: description) == nil)
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try driver.setMetadata(StoreMetadata(storeType: "InMemory"), of: description)
    }
    let store = try open(description)
    store.close()
    var metadata = try #require(try driver.metadata(of: description))
    #expect(metadata.storeType == "InMemory" && metadata.identifier == store.identity.identifier)
    metadata.userValues["note"] = .list([.string("x"), .integer(.max), .boolean(true)])
    try driver.setMetadata(metadata, of: description)
    #expect(try open(description).metadata == metadata)
  }

  @Test("a store that is open is not destroyed, unless it is forced (B239)")
  func destroy() throws {
    var description = PersistentStoreDescription.inMemory(named: "destroy \(UUID())")
    try driver.destroy(description)
    let store = try open(description)
    _ = try store.commit(StoreChangeSet(inserted: [tag(1, "one")]))
    #expect(throws: PersistenceError(.storeBusy, "")) { try driver.destroy(description) }
    #expect(try labels(store) == ["one"])
    description.options[StoreOption.forceDestroy] = .boolean(true)
    try driver.destroy(description)
    #expect(try labels(open(description)).isEmpty)
    #expect(try labels(store) == ["one"], "whoever has it goes on with it")
  }

  @Test("a store takes another's place, records and identity (B240)")
  func replace() throws {
    let source = PersistentStoreDescription.inMemory(named: "source \(UUID())")
    let target = PersistentStoreDescription.inMemory(named: "target \(UUID())")
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try driver.replace(target, with: source)
    }
    let original = try open(source)
    _ = try original.commit(StoreChangeSet(inserted: [tag(1, "one")]))
    try driver.replace(target, with: source)
    let copy = try open(target)
    #expect(try labels(copy) == ["one"])
    #expect(copy.identity.identifier == original.identity.identifier)
    _ = try copy.commit(StoreChangeSet(inserted: [tag(2, "two")]))
    #expect(try labels(original) == ["one"])
    #expect(throws: PersistenceError(.storeBusy, "")) { try driver.replace(target, with: source) }
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try driver.replace(.inMemory(), with: source)
    }
  }

  @Test("a reopened store has the layouts of the model that it is opened with")
  func otherModelInstance() throws {
    let description = PersistentStoreDescription.inMemory(named: "models \(UUID())")
    let first = try open(description)
    let person = Row(layout: company.person.layout, key: company.key(7), version: 3)
    person.setString("Ada", at: company.slot("name"))
    person.setDouble(1.5, at: company.slot("score"))
    _ = try first.commit(StoreChangeSet(inserted: [tag(1, "one"), person]))
    // The other model has its properties in another order.
    let other = try Company { entities in
      entities["Person"]?.properties.reverse()
      entities["Tag"]?.properties.reverse()
    }
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) {
      try open(description, other)
    }
    #expect(try labels(first) == ["one"])
    first.close()
    let second = try open(description, other)
    #expect(try labels(second, other) == ["one"])
    let row = try second.rows(forKeys: [person.key])[0]
    #expect(row.layout === other.person.layout && row.version == 3)
    #expect(row.string(other.slot("name")) == "Ada" && row.double(other.slot("score")) == 1.5)
    #expect(row.isNull(other.slot("age")))
    guard
      case .keys(let keys) = try second.fetch(
        other.fetch(other.compare("score", .greaterThan, .double(1)), result: .keys)
      ).content
    else { return }
    #expect(keys == [person.key])
  }

  @Test("a user whose indexes were changed by another one is told, not given wrong answers")
  func changedIndexes() throws {
    let description = PersistentStoreDescription.inMemory(named: "indexes \(UUID())")
    let first = try open(description)
    _ = try first.commit(StoreChangeSet(inserted: [tag(1, "one")]))
    first.close()
    let kept = try open(description)
    let reopened = try KeyValueStore(
      engine: NamedMemory.shared.open(description.url), description: description,
      storeType: "InMemory")
    // The state that a program with another model would leave.
    try reopened.engine.write { _, batch in
      batch.setBlob(Array("{\"tables\":{},\"nextNumber\":9}".utf8), named: IndexCatalog.blobName)
    }
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) { try labels(kept) }
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) {
      try kept.commit(StoreChangeSet(inserted: [tag(2, "two")]))
    }
    kept.close()
    #expect(try labels(open(description)) == ["one"])
  }

  @Test("damaged descriptions of the store itself are refused when it is opened")
  func damaged() throws {
    let damages = [
      ("metadata", "{"), (IndexCatalog.blobName, "[1]"), ("sequence", "123"),
      (IndexCatalog.blobName, "{\"tables\":{\"a\":{\"number\":1}},\"nextNumber\":-9}"),
    ]
    for (name, bytes) in damages {
      let description = PersistentStoreDescription.inMemory(named: "damaged \(UUID())")
      let store = try open(description)
      store.close()
      try NamedMemory.shared.tables(at: description.url).write { version in
        var batch = WriteBatch()
        batch.setBlob(Array(bytes.utf8), named: name)
        return version.applying(batch)
      }
      #expect(throws: PersistenceError(.corruptStore, "")) {
        try open(description).reserveSequences(1)
      }
    }
  }
}
