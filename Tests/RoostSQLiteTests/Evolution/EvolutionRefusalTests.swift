// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution
import Testing

/// Tests of changes that the records do not allow, and of interrupted migrations: nothing is written.
@Suite("Evolutions of SQLite stores that do not happen") struct EvolutionRefusalTests {
  private static let name = TestModel.Property.attribute("name", .string)

  /// Fills a store, makes its migration fail, and checks that the file is unchanged.
  private func refuse(
    from before: TestModel, to after: TestModel, reporter: MigrationReporter = MigrationReporter(),
    stepsRefuse: Bool = false, _ fill: (EvolvingStore) throws -> Void
  ) throws -> PersistenceError {
    let file = try EvolvingFile(before)
    try fill(file.evolving)
    let contents = try file.evolving.contents()
    let bytes = try file.bytes()
    let store = try file.second(before)
    let (change, metadata) = try store.change(to: after)
    let evolution = try #require(store.store.evolution)
    if stepsRefuse {
      #expect(throws: PersistenceError.self) { try evolution.steps(of: change) }
    }
    let error = #expect(throws: PersistenceError.self) {
      try evolution.evolve(change, to: metadata, reporter: reporter)
    }
    #expect(try store.contents() == contents)
    store.store.close()
    #expect(try Data(contentsOf: file.url) == bytes)
    return try #require(error)
  }

  @Test("records that violate a new constraint are named (M13)")
  func duplicates() throws {
    let error = try refuse(
      from: TestModel(.init("Person", Self.name)),
      to: TestModel(.init("Person", unique: [["name"]], Self.name)), stepsRefuse: true
    ) { store in
      for number in 1...3 as ClosedRange<Int64> {
        try store.insert("Person", number, ["name": "Ada"])
      }
      try store.insert("Person", 4, ["name": "Bob"])
      try store.insert("Person", 5)
      try store.insert("Person", 6)
    }
    #expect(error.code == .migrationConstraintViolation)
    #expect(error.objectIDs.map { RecordKey.sequence(of: $0.key) } == [1, 2, 3])
    #expect(error.message.hasPrefix("3 records of Person"))
    #expect(error.entityName == "Person" && error.key == "name")
  }

  @Test("a default that several records would share violates a constraint (M13)")
  func sharedDefault() throws {
    let error = try refuse(
      from: TestModel(.init("Person", unique: [["name"]], Self.name)),
      to: TestModel(
        .init(
          "Person", unique: [["name"]],
          .attribute("name", .string, isOptional: false, value: "nobody")))
    ) { store in
      for number in 1...2 as ClosedRange<Int64> { try store.insert("Person", number) }
    }
    #expect(error.code == .migrationConstraintViolation)
    #expect(error.objectIDs.count == 2)
  }

  @Test("of many duplicates, the first hundred are named, and all are counted (M13)")
  func manyDuplicates() throws {
    let error = try refuse(
      from: TestModel(.init("Person", Self.name)),
      to: TestModel(.init("Person", unique: [["name"]], Self.name)), stepsRefuse: true
    ) { store in
      let layout = store.version.entity("Person").layout
      let rows = (1...150 as ClosedRange<Int64>).map { number in
        let row = Row(layout: layout, key: store.key("Person", number), version: 1)
        layout.slot(named: "name").map { row.setString("Ada", at: $0) }
        return row
      }
      try store.commit(StoreChangeSet(inserted: rows))
    }
    #expect(error.objectIDs.count == 100)
    #expect(error.message.hasPrefix("150 "))
  }

  @Test("an entity with records does not become abstract (M12)")
  func abstract() throws {
    let error = try refuse(
      from: TestModel(.init("Animal", Self.name), .init("Dog", parent: "Animal")),
      to: TestModel(.init("Animal", abstract: true, Self.name), .init("Dog", parent: "Animal")),
      stepsRefuse: true
    ) { store in
      try store.insert("Animal", 1, ["name": "Rex"])
      try store.insert("Dog", 2)
    }
    #expect(error.code == .migration)
    #expect(error.objectIDs.map { RecordKey.sequence(of: $0.key) } == [1])
  }

  @Test("texts that are no URIs are refused (M10)")
  func noURI() throws {
    let error = try refuse(
      from: TestModel(.init("Page", .attribute("link", .string))),
      to: TestModel(.init("Page", .attribute("link", .uri)))
    ) { store in
      try store.insert("Page", 1, ["link": "http://a.example"])
      try store.insert("Page", 2, ["link": "http://[no"])
      try store.insert("Page", 3, ["link": ""])
    }
    #expect(error.code == .migration)
    #expect(error.objectIDs.map { RecordKey.sequence(of: $0.key) }.contains(2))
    #expect(error.key == "link")
  }

  @Test("a relationship to one that several claim is refused (M11)")
  func severalClaims() throws {
    let error = try refuse(
      from: TestModel(.init("Person", .one("desk", "Desk")), .init("Desk")),
      to: TestModel(
        .init("Person", .one("desk", "Desk", inverse: "user")),
        .init("Desk", .one("user", "Person", inverse: "desk"))), stepsRefuse: true
    ) { store in
      try store.insert("Desk", 10)
      try store.insert("Person", 1, ["desk": store.reference("Desk", 10)])
      try store.insert("Person", 2, ["desk": store.reference("Desk", 10)])
    }
    #expect(error.code == .migration)
    #expect(error.objectIDs.map { RecordKey.sequence(of: $0.key) } == [10])
  }

  @Test("a cancelled evolution leaves the file as it was, at each report (M51)", arguments: 1...4)
  func cancelled(_ report: Int) throws {
    let counter = Counter()
    let reporter = MigrationReporter { _ in
      if counter.next() == report {
        throw PersistenceError(.migrationCancelled, "Enough.")
      }
    }
    let error = try refuse(
      from: TestModel(
        .init("Person", indexes: [["name"]], Self.name, .attribute("age", .integer16))),
      to: TestModel(
        .init(
          "Person", .attribute("name", .string, isOptional: false, value: "nobody"),
          .attribute("score", .double, value: 0.1))), reporter: reporter
    ) { store in
      for number in 1...5 as ClosedRange<Int64> { try store.insert("Person", number) }
    }
    #expect(error.code == .migrationCancelled)
  }

  @Test("a store that is open for reading only does not evolve (M54)")
  func readOnly() throws {
    let before = try TestModel(.init("Person", Self.name))
    let file = try EvolvingFile(before)
    try file.evolving.insert("Person", 1)
    file.evolving.store.close()
    var description = file.evolving.description
    description.isReadOnly = true
    let store = try description.type.driver.open(description)
    defer { store.close() }
    let (change, metadata) = try before.change(to: TestModel(.init("Person")), store)
    let evolution = try #require(store.evolution)
    #expect(try evolution.storedModel() == Array("Person".utf8))
    #expect(try evolution.steps(of: change).map(\.title) == ["drop Person.name"])
    let error = #expect(throws: PersistenceError.self) {
      try evolution.evolve(change, to: metadata, reporter: MigrationReporter())
    }
    #expect(error?.code == .readOnlyStore)
  }

  @Test("a view of another program is refused before anything is done (M55)")
  func view() throws {
    let before = try TestModel(.init("Person", Self.name))
    let file = try EvolvingFile(before)
    let (change, metadata) = try file.evolving.change(to: TestModel(.init("Person")))
    #expect(RawDatabase(file.url).run("CREATE VIEW v AS SELECT name FROM Person") == 0)
    let error = #expect(throws: PersistenceError.self) {
      try file.evolving.store.evolution?.evolve(
        change, to: metadata, reporter: MigrationReporter())
    }
    #expect(error?.code == .corruptStore)
  }
}

/// Counts calls.
final class Counter: @unchecked Sendable {
  // Sendable: the number is read and written under the lock.
  private let lock = NSLock()
  private var number = 0

  func next() -> Int {
    lock.withLock {
      number += 1
      return number
    }
  }
}
