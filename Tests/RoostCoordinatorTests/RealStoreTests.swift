// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostModel
import RoostQuery
import RoostSQLite
import RoostStore
import Testing

@testable import RoostCoordinator

/// Tests of the coordinator's contract on the real stores: by scan, by index, by SQL.
@Suite("Real stores")
struct RealStoreTests {
  typealias Kind = RealStores.Kind

  let real: RealStores

  init() throws {
    real = try RealStores()
  }

  private func add(
    _ kind: Kind, _ name: String, to stack: Stack, configuration: String? = nil
  ) throws -> any PersistentStore {
    try stack.coordinator.addPersistentStore(
      with: real.description(kind, name, configuration: configuration))
  }

  /// Returns a stack whose people and departments are distributed over new stores.
  private func stack(_ kinds: [Kind], named name: String = "s") throws -> Stack {
    let stack = try Stack()
    let stores = try kinds.enumerated().map { try add($1, "\(name)\($0)", to: stack) }
    var random = TestRandom(seed: 11)
    let labs = try stores.map {
      try stack.insert(stack.company.department, named: "Lab", into: $0)
    }
    let mills = try stores.map {
      try stack.insert(stack.company.department, named: "Mill", into: $0)
    }
    for index in 0..<90 {
      let person = (
        name: ["Ada", "ada", "Bob", "Zoë", "Zoe\u{308}", ""][random.next(below: 6)],
        age: Int64(random.next(below: 8))
      )
      // The distribution is by number, so that the people are the same for any number of stores.
      let place = index * 7 % stores.count
      try stack.insertPeople(
        [person], into: stores[place],
        department: [labs[place], mills[place], nil][random.next(below: 3)])
    }
    return stack
  }

  private func requests(_ stack: Stack) -> [ResolvedFetch] {
    let (old, lab) = (stack.isOlder(than: 3), stack.worksIn("Lab"))
    return [
      stack.people(sortedBy: ["age", "name"]),
      stack.people(where: old, sortedBy: ["name", "age"]),
      stack.people(where: .not(old), sortedBy: ["name"], ascending: false),
      stack.people(where: lab, sortedBy: ["age"]),
      stack.people(
        where: .and([old, .not(lab)]), sortedBy: ["age", "name"], limit: 10, offset: 4),
      stack.people(where: .or([old, lab]), sortedBy: ["age", "name"], limit: 100, offset: 40),
      stack.people(sortedBy: ["age", "name"], limit: 0),
      stack.people(where: .constant(false), sortedBy: ["age"]),
    ]
  }

  private func signature(_ stack: Stack, _ result: CoordinatorFetchResult) -> [String] {
    switch result {
    case .rows(let rows):
      let company = stack.company
      return rows.rows.map { row in
        Array(row.string(company.slot("name", of: company.person)).utf8).description
          + " \(row.integer(company.slot("age", of: company.person)))"
      }
    case .ids(let ids): return ["\(ids.count)"]
    case .count(let count): return ["\(count)"]
    case .tuples(let values, _): return values.map { "\($0)" }
    }
  }

  @Test(
    "one store answers like another, and several together like one (B233, B136)",
    arguments: [
      [.inMemory], [.sqlite], [.lmdb], [.inMemory, .sqlite], [.sqlite, .sqlite, .minimal],
      [.minimal, .inMemory, .sqlite], [.sqlite, .lmdb, .inMemory],
    ] as [[Kind]])
  func sameAnswers(_ kinds: [Kind]) throws {
    let (reference, tested) = (try stack([.minimal], named: "reference"), try stack(kinds))
    for (index, request) in requests(reference).enumerated() {
      let same = requests(tested)[index]
      for result in [ResolvedFetch.Result.rows, .count] {
        var (left, right) = (request, same)
        (left.result, right.result) = (result, result)
        let expected = signature(reference, try reference.fetch(left))
        let answer = signature(tested, try tested.fetch(right))
        // Ties are broken by key; with several stores the keys differ.
        #expect(
          answer == expected || answer.sorted() == expected.sorted() && request.limit == nil,
          "request \(index)")
      }
    }
  }

  @Test(
    "groups and aggregates are the same, however the rows are spread (B134)",
    arguments: [
      [.inMemory], [.sqlite], [.lmdb], [.inMemory, .sqlite], [.minimal, .sqlite], [.lmdb, .sqlite],
    ] as [[Kind]])
  func sameGroups(_ kinds: [Kind]) throws {
    let (reference, tested) = (try stack([.minimal], named: "reference"), try stack(kinds))
    for isSorted in [true, false] {
      func tuples(_ stack: Stack) throws -> [String] {
        let age = ResolvedExpression.path(stack.path("age", from: stack.company.person))
        let name = ResolvedExpression.path(stack.path("name", from: stack.company.person))
        func column(_ function: FetchFunction) -> ResolvedColumns.Column {
          ResolvedColumns.Column(
            name: function.rawValue, expression: .function(function, [age]), isAggregate: true,
            type: function == .average ? .double : .integer64)
        }
        let columns = ResolvedColumns(
          columns: [
            ResolvedColumns.Column(
              name: "name", expression: name, isAggregate: false, type: .string)
          ] + [.count, .sum, .minimum, .maximum, .average].map(column), groupBy: [name])
        let result = try stack.fetch(
          stack.people(sortedBy: isSorted ? ["name"] : [], result: .columns(columns)))
        guard case .tuples(let values, let width) = result else {
          Issue.record("The answer has another form.")
          return []
        }
        let lines = stride(from: 0, to: values.count, by: width).map { start in
          values[start..<start + width].map { value -> String in
            if case .string(let text) = value { return "\(Array(text.utf8))" }
            return "\(value)"
          }.joined(separator: " ")
        }
        return isSorted ? lines : lines.sorted()
      }
      #expect(try tuples(tested) == tuples(reference))
    }
  }

  @Test(
    "what a store does itself needs no evaluation in memory: the policy allows it",
    arguments: [Kind.sqlite, .lmdb])
  func pushedDown(_ kind: Kind) throws {
    let stack = try stack([kind])
    for request in requests(stack) {
      let result = try stack.coordinator.fetch(
        CoordinatorFetch(fetch: request, allowsInMemoryEvaluation: false))
      let other = try stack.coordinator.fetch(CoordinatorFetch(fetch: request))
      #expect(signature(stack, result) == signature(stack, other))
    }
  }

  @Test(
    "a conflict is a value, whatever finds it (B177)", arguments: [Kind.inMemory, .lmdb, .sqlite])
  func conflicts(_ kind: Kind) throws {
    let stack = try Stack()
    let store = try add(kind, "a", to: stack)
    let ids = try stack.insertPeople([("Ada", 1), ("Bob", 2)], into: store)
    try stack.commit(.updating([stack.update(ids[0], name: "New", age: 1, from: 1)]))
    let stale = CommitRequest.updating([
      stack.update(ids[1], name: "Bob", age: 3, from: 1),
      stack.update(ids[0], name: "Ada", age: 2, from: 1),
    ])
    guard case .conflicted(let conflicts) = try stack.coordinator.commit(stale),
      case .version(let id, let expected, let current, _) = conflicts[0]
    else {
      Issue.record("The commit was to be in conflict.")
      return
    }
    #expect(id == ids[0])
    #expect(expected == 1)
    #expect(current?.version == 2)
    #expect(try stack.coordinator.existingRow(for: ids[1]).version == 1)
  }

  @Test(
    "metadata, codes and IDs survive closing and opening (B25, B244)",
    arguments: [Kind.inMemory, .lmdb, .sqlite])
  func reopening(_ kind: Kind) throws {
    let first = try Stack()
    let store = try add(kind, "a", to: first)
    let id = try first.insertPeople([("Ada", 1)], into: store)[0]
    var metadata = store.metadata
    metadata.userValues["k"] = .date(Date(timeIntervalSinceReferenceDate: 0.1))
    try first.coordinator.setMetadata(metadata, for: store)
    try first.commit(CommitRequest())
    let written = store.metadata
    try first.coordinator.remove(store)

    let second = try Stack(company: Company())
    let again = try add(kind, "a", to: second)
    #expect(again.metadata == written)
    #expect(again.metadata.userValues == metadata.userValues)
    let found = try #require(
      second.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
    #expect(found == id)
    #expect(try second.coordinator.rows(for: [found])[0]?.version == 1)
    let fresh = try second.insertPeople([("Bob", 1)], into: again)[0]
    #expect(fresh != id)
  }

  @Test(
    "metadata is read and written without a coordinator (B245)",
    arguments: [Kind.inMemory, .lmdb, .sqlite])
  func metadataAlone(_ kind: Kind) throws {
    let stack = try Stack()
    let store = try add(kind, "a", to: stack)
    let description = real.description(kind, "a")
    let url = try #require(description.url)
    try stack.coordinator.remove(store)
    var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
      type: description.type, at: url)
    #expect(metadata == store.metadata)
    metadata.userValues["k"] = .integer(7)
    try PersistentStoreCoordinator.setMetadata(metadata, type: description.type, at: url)
    #expect(try add(kind, "a", to: stack).metadata.userValues == ["k": .integer(7)])
  }

  @Test(
    "another version of the model is refused, the store stays usable (B246)",
    arguments: [Kind.inMemory, .lmdb, .sqlite])
  func otherVersion(_ kind: Kind) throws {
    let first = try Stack()
    let store = try add(kind, "a", to: first)
    try first.insertPeople([("Ada", 1)], into: store)
    try first.coordinator.remove(store)
    let other = try Stack(company: Company(hashModifier: "2"))
    var strict = real.description(kind, "a")
    strict.shouldMigrateStoreAutomatically = false
    #expect(
      errorCode { _ = try other.coordinator.addPersistentStore(with: strict) }
        == .persistentStoreIncompatibleVersionHash)
    let again = try Stack(company: Company())
    _ = try add(kind, "a", to: again)
    #expect(again.names(try again.fetch(again.people())) == ["Ada"])
  }

  @Test("a file that is no store is refused and not touched (B241)")
  func foreignFile() throws {
    let description = real.description(.sqlite, "text")
    let url = try #require(description.url)
    let bytes = Data("This is a letter, not a database. ".utf8) + Data(count: 8192)
    try bytes.write(to: url)
    let stack = try Stack()
    let code = errorCode { _ = try add(.sqlite, "text", to: stack) }
    let expected: [PersistenceError.Code] = [
      .persistentStoreTypeMismatch, .persistentStoreInvalidType, .persistentStoreOpen,
      .corruptStore,
    ]
    #expect(code.map(expected.contains) == true)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(stack.coordinator.persistentStores.isEmpty)
  }

  @Test("a place that cannot be written is an error, not a trap (B241)")
  func impossiblePlace() throws {
    let stack = try Stack()
    let code = errorCode { _ = try add(.sqlite, "no/such/folder/a", to: stack) }
    #expect(code == .persistentStoreOpen)
  }

  @Test("a SQLite store is destroyed with its side files, and replaced by a copy (B239, B240)")
  func wholeFiles() throws {
    let stack = try Stack()
    let store = try add(.sqlite, "a", to: stack)
    try stack.insertPeople([("Ada", 1)], into: store)
    let (here, there) = (
      try #require(store.url), try #require(real.description(.sqlite, "b").url)
    )
    try stack.coordinator.replacePersistentStore(
      at: there, withPersistentStoreFrom: here, type: .sqlite)
    try stack.coordinator.destroyPersistentStore(at: here, type: .sqlite)
    #expect(stack.coordinator.persistentStores.isEmpty)
    let rest = try FileManager.default.contentsOfDirectory(atPath: real.folder.path)
    #expect(rest.filter { $0.hasPrefix(here.lastPathComponent) } == [here.lastPathComponent])
    #expect(try Data(contentsOf: here).isEmpty)
    let later = try Stack(company: Company())
    _ = try add(.sqlite, "b", to: later)
    #expect(later.names(try later.fetch(later.people())) == ["Ada"])
  }

  @Test("a SQLite file that was moved is connected again (B237)")
  func movedFile() throws {
    let stack = try Stack()
    let store = try add(.sqlite, "a", to: stack)
    let id = try stack.insertPeople([("Ada", 1)], into: store)[0]
    let there = try #require(real.description(.sqlite, "b").url)
    try stack.coordinator.replacePersistentStore(
      at: there, withPersistentStoreFrom: try #require(store.url), type: .sqlite)
    let moved = try stack.coordinator.setURL(there, for: store)
    #expect(moved.url == there)
    try stack.commit(.updating([stack.update(id, name: "Ada", age: 2, from: 1)]))
    #expect(try stack.coordinator.existingRow(for: id).version == 2)
    #expect(id.persistentStore === moved)
  }

  @Test("a save of both kinds writes each its part; what is in memory prepares (B234, X1)")
  func splitSave() throws {
    let stack = try Stack()
    let memory = try add(.inMemory, "m", to: stack)
    let file = try add(.sqlite, "f", to: stack)
    let (ada, bob) = (
      try stack.insertPeople([("Ada", 1)], into: memory)[0],
      try stack.insertPeople([("Bob", 2)], into: file)[0]
    )
    let summary = try stack.commit(
      .updating([
        stack.update(ada, name: "Ada", age: 2, from: 1),
        stack.update(bob, name: "Bob", age: 3, from: 1),
      ]))
    #expect(summary.stores.map(\.identifier) == [memory, file].map(\.identity.identifier))
    #expect(stack.names(try stack.fetch(stack.people(where: stack.isOlder(than: 1)))).count == 2)
  }
}
