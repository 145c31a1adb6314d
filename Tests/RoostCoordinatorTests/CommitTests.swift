// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Commits to one store")
struct CommitTests {
  let stack: Stack
  let store: MinimalStore

  init() throws {
    (stack, store) = try Stack.withStore()
  }

  @Test("a new record starts at version 1, each save that writes it adds 1 (B173)")
  func versions() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    #expect(try stack.coordinator.existingRow(for: id).version == 1)
    try stack.commit(.updating([stack.update(id, name: "Ada", age: 37, from: 1)]))
    let row = try stack.coordinator.existingRow(for: id)
    #expect(row.version == 2)
    #expect(row.integer(stack.company.slot("age", of: stack.company.person)) == 37)
  }

  @Test("what was committed is in the cache: faults of it need no store (B51)")
  func cacheAfterCommit() throws {
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    try stack.commit(.updating([stack.update(ids[0], name: "Eve", age: 1, from: 1)]))
    try stack.commit(.deleting([RecordVersion(id: ids[1], version: 1)]))
    let before = stack.coordinator.counters
    #expect(try stack.coordinator.rows(for: [ids[0]])[0]?.version == 2)
    #expect((stack.coordinator.counters - before).roundTrips == 0)
    #expect(stack.coordinator.cachedRow(for: ids[1]) == nil)
  }

  @Test("rows that the store recomputed take the place of those that were sent (B308)")
  func recomputed() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    let derived = stack.personRow(id, name: "ADA", age: 37, version: 2)
    store.script.withLock { $0.recomputed = [derived] }
    let summary = try stack.commit(.updating([stack.update(id, name: "Ada", age: 37, from: 1)]))
    #expect(summary.recomputed.map(\.id) == [id])
    #expect(stack.coordinator.cachedRow(for: id)?.isIdentical(to: derived) == true)
  }

  @Test("a record that was changed meanwhile is a conflict, and nothing is written (B175, B177)")
  func versionConflict() throws {
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    let other = try Stack(company: stack.company, driver: stack.driver)
    try other.addStore("all")
    try other.commit(.updating([other.update(ids[0], name: "New", age: 1, from: 1)]))
    let request = CommitRequest.updating([
      stack.update(ids[1], name: "Bob", age: 21, from: 1),
      stack.update(ids[0], name: "Ada", age: 37, from: 1),
    ])
    guard case .conflicted(let conflicts) = try stack.coordinator.commit(request) else {
      Issue.record("The commit was to be in conflict.")
      return
    }
    #expect(conflicts.count == 1)
    guard case .version(let id, let expected, let current, let cached) = conflicts[0] else {
      return
    }
    #expect(id == ids[0])
    #expect(expected == 1)
    #expect(current?.version == 2)
    #expect(cached?.version == 1)
    #expect(try stack.coordinator.existingRow(for: ids[1]).version == 1)
  }

  @Test("a record that was deleted meanwhile is a conflict without a row (B177)")
  func deletedConflict() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    try stack.commit(.deleting([RecordVersion(id: id, version: 1)]))
    let request = CommitRequest.updating([stack.update(id, name: "Ada", age: 37, from: 1)])
    guard case .conflicted(let conflicts) = try stack.coordinator.commit(request),
      case .version(_, _, let current, _) = conflicts[0]
    else {
      Issue.record("The commit was to be in conflict.")
      return
    }
    #expect(current == nil)
  }

  @Test("a taken value is a conflict that names both records (B190)")
  func uniquenessConflict() throws {
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    let existing = stack.personRow(ids[0], name: "Ada", age: 36)
    store.script.withLock { script in
      script.commitConflicts = [
        .uniqueness(
          constraint: ["name"], entityName: "Person", key: ids[1].key, existing: existing)
      ]
    }
    let request = CommitRequest.updating([stack.update(ids[1], name: "Ada", age: 20, from: 1)])
    guard case .conflicted(let conflicts) = try stack.coordinator.commit(request),
      case .uniqueness(let id, let constraint, "Person", _, let existingID) = conflicts[0]
    else {
      Issue.record("The commit was to be in conflict.")
      return
    }
    #expect(id == ids[1])
    #expect(constraint == ["name"])
    #expect(existingID == ids[0])
  }

  @Test("locked records must be unchanged, and their rows are read anew afterwards (B174)")
  func locked() throws {
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    let request = CommitRequest.updating([stack.update(ids[0], name: "Ada", age: 37, from: 1)])
    request.locked = [RecordVersion(id: ids[1], version: 1)]
    try stack.commit(request)
    #expect(try stack.coordinator.rows(for: [ids[1]])[0]?.version == 2)
    guard case .conflicted = try stack.coordinator.commit(request) else {
      Issue.record("The commit was to be in conflict.")
      return
    }
  }

  @Test("links are written and read from both sides (B77)")
  func links() throws {
    let company = stack.company
    let person = try stack.insertPeople([("Ada", 36)], into: store)[0]
    let tags = try ["x", "y"].map { try stack.insert(company.tag, named: $0, into: store) }
    let relationship = company.relationship("tags", of: company.person)
    guard case .links(let table, let isForward) = relationship.storage else {
      Issue.record("A many-to-many relationship has links.")
      return
    }
    let request = CommitRequest()
    for tag in tags {
      request.links.append(
        LinkRecord(
          table: table, source: isForward ? person : tag, destination: isForward ? tag : person,
          kind: .link(position: nil, inversePosition: nil)))
    }
    try stack.commit(request)
    let found = try stack.coordinator.destinations(of: relationship, for: [person])
    #expect(Array(found[source: 0]) == tags)
    let back = try stack.coordinator.destinations(
      of: company.relationship("tagged", of: company.tag), for: tags)
    #expect(Array(back.ids) == [person, person])
  }

  @Test("a save without changes does no store work (B104)")
  func emptyCommit() throws {
    let before = stack.coordinator.counters
    let summary = try stack.commit(CommitRequest())
    #expect(summary.stores.isEmpty)
    #expect(stack.coordinator.counters == before)
  }

  @Test("the author and the context's name reach the store (B290)")
  func origin() throws {
    let request = CommitRequest(
      origin: StoreChangeSet.Origin(author: "import", contextName: "background"))
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    request.updated.append(stack.update(id, name: "Ada", age: 37, from: 1))
    try stack.commit(request)
    let origin = store.script.withLock { $0.commits.last?.origin }
    #expect(origin?.author == "import")
    #expect(origin?.contextName == "background")
  }

  @Test("an error of the store reaches the caller, names the store, and changes nothing (B171)")
  func failingStore() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    store.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    let request = CommitRequest.updating([stack.update(id, name: "Ada", age: 37, from: 1)])
    do {
      try stack.commit(request)
      Issue.record("The commit was to fail.")
    } catch let error as PersistenceError {
      #expect(error.code == .storeFull)
      #expect(error.store == "all")
    }
    #expect(stack.coordinator.cachedRow(for: id)?.version == 1)
    try stack.commit(request)
    #expect(stack.coordinator.cachedRow(for: id)?.version == 2)
  }

  @Test("after a commit of unknown outcome the cache does not pretend to know")
  func unknownOutcome() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    store.script.withLock { script in
      script.commitFailureAfterWriting = PersistenceError(.commitOutcomeUnknown, "Lost.")
    }
    let request = CommitRequest.updating([stack.update(id, name: "Ada", age: 37, from: 1)])
    #expect(errorCode { try stack.commit(request) } == .commitOutcomeUnknown)
    #expect(stack.coordinator.cachedRow(for: id) == nil)
    #expect(try stack.coordinator.rows(for: [id])[0]?.version == 2)
  }

  @Test("opening a store and asking for keys have no outcome that could be unknown (F23)")
  func stepsWithoutOutcome() throws {
    let lost = PersistenceError(.commitOutcomeUnknown, "Lost.")
    stack.driver.prepareFailure.withLock { $0 = lost }
    #expect(errorCode { try stack.addStore("second") } == .persistentStoreOpen)
    stack.driver.prepareFailure.withLock { $0 = nil }
    try stack.addStore("second")
    store.script.withLock { $0.reserveFailure = lost }
    let code = errorCode { try stack.insertPeople([("Ada", 36)], into: store) }
    #expect(code == .persistentStoreOperation)
    try stack.insertPeople([("Ada", 36)], into: store)
  }

  @Test("a read-only store can be fetched, and a save that touches it fails (B236)")
  func readOnly() throws {
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    let later = try Stack(company: stack.company, driver: stack.driver)
    let fixed = try later.addStore("all", options: [StoreOption.readOnly: .boolean(true)])
    #expect(later.names(try later.fetch(later.people())) == ["Ada"])
    let mine = try #require(
      later.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
    let request = CommitRequest.updating([later.update(mine, name: "Eve", age: 1, from: 1)])
    #expect(errorCode { try later.commit(request) } == .readOnlyStore)
    #expect(fixed.script.withLock { $0.commits.isEmpty })
  }

  @Test("an object without a permanent ID cannot be written (B24)")
  func temporaryID() throws {
    let id = IDScope.makeTemporaryID(for: stack.company.person)
    let request = CommitRequest.inserting([
      InsertedRecord(id: id, row: stack.personRow(id, name: "Ada", age: 1))
    ])
    #expect(errorCode { try stack.commit(request) } == .invalidRequest)
  }

  @Test("whoever observes learns which records a commit wrote, until it is gone")
  func observers() throws {
    let observer = RecordingObserver()
    stack.coordinator.addObserver(observer)
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    let request = CommitRequest.updating([stack.update(ids[0], name: "Ada", age: 37, from: 1)])
    request.deleted = [RecordVersion(id: ids[1], version: 1)]
    try stack.commit(request)
    let seen = observer.commits.withLock { $0 }
    #expect(seen.count == 2)
    #expect(seen[0].inserted == ids)
    #expect(seen[1].updated == [ids[0]])
    #expect(seen[1].deleted == [ids[1]])
    stack.coordinator.removeObserver(observer)
    try stack.insertPeople([("Cleo", 1)], into: store)
    #expect(observer.commits.withLock { $0.count } == 2)
  }

  @Test("whoever observes learns which other records the store has computed anew (B308)")
  func observersOfRecomputed() throws {
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 20)], into: store)
    let observer = RecordingObserver()
    stack.coordinator.addObserver(observer)
    let derived = ids.map { stack.personRow($0, name: "ADA", age: 37, version: 2) }
    store.script.withLock { $0.recomputed = derived }
    try stack.commit(.updating([stack.update(ids[0], name: "Ada", age: 37, from: 1)]))
    // The record that was sent is reported once.
    #expect(
      observer.commits.withLock { $0.map { $0.updated.sorted { $0 == ids[0] && $1 != ids[0] } } }
        == [ids])
  }

  @Test("a coordinator does not keep its observers alive")
  func weakObservers() {
    weak var gone: RecordingObserver?
    do {
      let observer = RecordingObserver()
      stack.coordinator.addObserver(observer)
      gone = observer
    }
    #expect(gone == nil)
    #expect(stack.coordinator.liveObservers().isEmpty)
  }
}

/// Records the notifications of a coordinator.
final class RecordingObserver: CoordinatorObserver {
  let commits = Mutex<[CommittedChanges]>([])
  let removed = Mutex<[StoreIdentity]>([])
  var hearsCommits: Bool { true }

  func coordinator(_: PersistentStoreCoordinator, didRemove store: StoreIdentity) {
    removed.withLock { $0.append(store) }
  }

  func coordinator(_: PersistentStoreCoordinator, didCommit changes: CommittedChanges) {
    commits.withLock { $0.append(changes) }
  }
}
