// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Commits to several stores")
struct CrossStoreCommitTests {
  let stack: Stack
  let memory: MinimalStore
  let file: MinimalStore
  let ada: ObjectID
  let bob: ObjectID

  init() throws {
    stack = try Stack()
    memory = try stack.addStore(nil)
    file = try stack.addStore("file")
    ada = try stack.insertPeople([("Ada", 36)], into: memory)[0]
    bob = try stack.insertPeople([("Bob", 20)], into: file)[0]
  }

  private func both() -> CommitRequest {
    .updating([
      stack.update(ada, name: "Ada", age: 37, from: 1),
      stack.update(bob, name: "Bob", age: 21, from: 1),
    ])
  }

  private func commitCount(_ store: MinimalStore) -> Int {
    store.script.withLock { $0.commits.count }
  }

  @Test("each store is sent its own objects only (B234)")
  func split() throws {
    let summary = try stack.commit(both())
    #expect(Set(summary.stores.map(\.identifier)).count == 2)
    for (store, id) in [(memory, ada), (file, bob)] {
      let sent = try #require(store.script.withLock { $0.commits.last })
      #expect(sent.updated.map(\.row.key) == [id.key])
    }
    #expect(try stack.coordinator.existingRow(for: ada).version == 2)
    #expect(try stack.coordinator.existingRow(for: bob).version == 2)
  }

  @Test("a save of one store does not touch the other (B234)")
  func untouchedStore() throws {
    let before = commitCount(file)
    try stack.commit(.updating([stack.update(ada, name: "Ada", age: 37, from: 1)]))
    #expect(commitCount(file) == before)
  }

  @Test("a failure of the first store leaves the other unwritten (B169)")
  func firstFails() throws {
    // The persistent store commits first, whatever the order of adding.
    file.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    let before = commitCount(memory)
    #expect(errorCode { _ = try stack.coordinator.commit(both()) } == .storeFull)
    #expect(commitCount(memory) == before)
    #expect(try stack.coordinator.existingRow(for: ada).version == 1)
    #expect(stack.coordinator.cachedRow(for: bob)?.version == 1)
  }

  @Test(
    "a failure after a store has written is 134040 and says which have written (B170, B337)"
  )
  func secondFails() throws {
    memory.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    guard case .incomplete(let summary, let error) = try stack.coordinator.commit(both()) else {
      Issue.record("The save was to be incomplete.")
      return
    }
    #expect(error.code.rawValue == 134040)
    #expect(error.objectIDs == [ada])
    #expect(error.underlyingErrors.map(\.code) == [.storeFull])
    #expect(error.underlyingErrors[0].store == memory.identity.identifier)
    #expect(error.underlyingErrors[0].objectIDs == [ada])
    #expect(summary.stores.map(\.identifier) == [file.identity.identifier])
    #expect(summary.contains(bob))
    #expect(!summary.contains(ada))
    #expect(stack.coordinator.cachedRow(for: bob)?.version == 2)
    #expect(stack.coordinator.cachedRow(for: ada)?.version == 1)
  }

  @Test("what is left of an incomplete save can be saved again (B171)")
  func retry() throws {
    memory.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    _ = try stack.coordinator.commit(both())
    try stack.commit(.updating([stack.update(ada, name: "Ada", age: 37, from: 1)]))
    #expect(try stack.coordinator.existingRow(for: ada).version == 2)
  }

  @Test("stores after a failed one are not asked, and the error says so (B170)")
  func notAsked() throws {
    let third = try stack.addStore(nil)
    let cleo = try stack.insertPeople([("Cleo", 1)], into: third)[0]
    let request = both()
    request.updated.append(stack.update(cleo, name: "Cleo", age: 2, from: 1))
    memory.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    let before = commitCount(third)
    guard case .incomplete(let summary, let error) = try stack.coordinator.commit(request) else {
      Issue.record("The save was to be incomplete.")
      return
    }
    #expect(commitCount(third) == before)
    #expect(error.underlyingErrors.map(\.code) == [.storeFull, .persistentStoreSave])
    #expect(Set(error.objectIDs) == [ada, cleo])
    #expect(summary.failedStores.count == 2)
  }

  @Test(
    "conflicts of all stores are found before the first one writes (B178)",
    arguments: [[true, false], [false, true], [true, true]])
  func conflicts(_ changed: [Bool]) throws {
    let ids = zip([ada, bob], changed).filter(\.1).map(\.0)
    for id in ids {
      try stack.commit(.updating([stack.update(id, name: "Other", age: 1, from: 1)]))
    }
    let before = (commitCount(memory), commitCount(file))
    guard case .conflicted(let conflicts) = try stack.coordinator.commit(both()) else {
      Issue.record("The save was to be in conflict.")
      return
    }
    #expect(Set(conflicts.map(\.id)) == Set(ids))
    #expect((commitCount(memory), commitCount(file)) == before)
  }

  @Test("a conflict that only the later store sees makes the save incomplete (B170)")
  func lateConflict() throws {
    memory.script.withLock { script in
      script.commitConflicts = [
        .uniqueness(constraint: ["name"], entityName: "Person", key: ada.key, existing: nil)
      ]
    }
    guard case .incomplete(_, let error) = try stack.coordinator.commit(both()) else {
      Issue.record("The save was to be incomplete.")
      return
    }
    #expect(error.underlyingErrors.map(\.code) == [.managedObjectMerge])
    #expect(error.objectIDs == [ada])
  }

  @Test("relationships that cross stores are refused, all of them together (B73)")
  func crossingRelationships() throws {
    let company = stack.company
    let lab = try stack.insert(company.department, named: "Lab", into: file)
    let works = company.relationship("department", of: company.person)
    let request = CommitRequest()
    for name in ["X", "Y"] {
      let id = try stack.coordinator.obtainPermanentIDs(
        for: NewRecords([(company.person, stack.attached(memory))]))[0]
      let row = stack.personRow(id, name: name, age: 1)
      row.setInteger(
        request.key(of: lab, from: id, along: works),
        at: company.slot("department", of: company.person))
      request.inserted.append(InsertedRecord(id: id, row: row))
    }
    let before = commitCount(memory)
    do {
      _ = try stack.coordinator.commit(request)
      Issue.record("The save was to be refused.")
    } catch let error as PersistenceError {
      #expect(error.code.rawValue == 133010)
      #expect(error.key == "department")
      #expect(error.underlyingErrors.count == 2)
      #expect(error.objectIDs.contains(lab))
    }
    #expect(commitCount(memory) == before)
  }

  @Test("a link that crosses stores is refused, removing one is nothing (B73)")
  func crossingLinks() throws {
    let company = stack.company
    let tag = try stack.insert(company.tag, named: "x", into: file)
    guard
      case .links(let table, let isForward) = company.relationship("tags", of: company.person)
        .storage
    else { return }
    func record(_ kind: LinkChange.Kind) -> CommitRequest {
      let request = CommitRequest()
      request.links = [
        LinkRecord(
          table: table, source: isForward ? ada : tag, destination: isForward ? tag : ada,
          kind: kind)
      ]
      return request
    }
    #expect(
      errorCode {
        _ = try stack.coordinator.commit(record(.link(position: nil, inversePosition: nil)))
      } == .externalRelationship)
    #expect(errorCode { _ = try stack.coordinator.commit(record(.unlink)) } == nil)
  }

  @Test("a read-only store in a save of several fails it before anything is written (B236)")
  func readOnlyPart() throws {
    let other = try Stack(company: stack.company, driver: stack.driver)
    let open = try other.addStore("open")
    try other.addStore("file", options: [StoreOption.readOnly: .boolean(true)])
    let cleo = try other.insertPeople([("Cleo", 1)], into: open)[0]
    let request = CommitRequest.updating([
      other.update(cleo, name: "Cleo", age: 2, from: 1),
      other.update(bob, name: "Bob", age: 3, from: 1),
    ])
    #expect(errorCode { _ = try other.coordinator.commit(request) } == .readOnlyStore)
    #expect(try other.coordinator.existingRow(for: cleo).version == 1)
  }

  @Test("saves of the same stores from many threads neither deadlock nor half succeed (B169)")
  func concurrentSaves() throws {
    let outcomes = Mutex<[Bool]>([])
    Concurrently.run(8) { _ in
      for _ in 0..<25 {
        guard let rows = try? stack.coordinator.rows(for: [ada, bob], stalenessInterval: 0),
          let first = rows[0], let second = rows[1]
        else { continue }
        let request = CommitRequest.updating([
          stack.update(ada, name: "Ada", age: 1, from: first.version),
          stack.update(bob, name: "Bob", age: 1, from: second.version),
        ])
        guard let result = try? stack.coordinator.commit(request) else { continue }
        switch result {
        case .committed: outcomes.withLock { $0.append(true) }
        case .conflicted: break
        case .incomplete: outcomes.withLock { $0.append(false) }
        }
      }
    }
    let saved = outcomes.withLock { $0 }
    #expect(!saved.contains(false))
    let versions = try [ada, bob].map { try stack.coordinator.existingRow(for: $0).version }
    #expect(versions == [Int64(saved.count) + 1, Int64(saved.count) + 1])
  }

  @Test(
    "a store that cannot prepare is refused before anything is written, unless it is allowed (X3)")
  func unprepared() throws {
    stack.coordinator.saveTraffic.policy = .atomic
    let before = (commitCount(memory), commitCount(file))
    #expect(
      errorCode { _ = try stack.coordinator.commit(both()) }
        == .persistentStoreUnsupportedRequestType)
    #expect((commitCount(memory), commitCount(file)) == before)
    stack.coordinator.saveTraffic.policy = .perStore
    try stack.commit(both())
  }
}
