// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Moving a store's data to another store")
struct MigrationTests {
  let stack: Stack
  let store: MinimalStore
  let labels: [String] = (0..<7).map { "T\($0)" }
  let departments: [ObjectID]
  let tags: [ObjectID]
  let people: [ObjectID]

  init() throws {
    let (stack, store) = try Stack.withStore()
    (self.stack, self.store) = (stack, store)
    let company = stack.company
    departments = try ["Lab", "Mill"].map {
      try stack.insert(company.department, named: $0, into: store)
    }
    tags = try labels.map { try stack.insert(company.tag, named: $0, into: store) }
    var people = try stack.insertPeople([("Free", 1)], into: store)
    for department in departments {
      people += try stack.insertPeople(
        (0..<5).map { ("P\($0)", $0) }, into: store, department: department)
    }
    self.people = people
    guard
      case .links(let table, let isForward) = company.relationship("tags", of: company.person)
        .storage
    else { return }
    let request = CommitRequest()
    for (index, tag) in tags.enumerated() {
      for offset in 0...index % 3 {
        let person = people[(index + offset) % people.count]
        // The tagged people of a tag are ordered: backwards here.
        let position = Int64(-offset)
        request.links.append(
          LinkRecord(
            table: table, source: isForward ? person : tag,
            destination: isForward ? tag : person,
            kind: isForward
              ? .link(position: nil, inversePosition: position)
              : .link(position: position, inversePosition: nil)))
      }
    }
    try stack.commit(request)
  }

  /// Returns the content of a store, by names only.
  private func picture(_ stack: Stack) throws -> [String] {
    let company = stack.company
    var lines: [String] = []
    func rows(_ entity: EntityDescription) throws -> FetchedRows {
      guard
        case .rows(let rows) = try stack.fetch(
          ResolvedFetch(entity: entity, entities: entity.concreteEntities))
      else { return .none }
      return rows
    }
    func names(_ ids: some Sequence<ObjectID>) throws -> [String] {
      try stack.coordinator.rows(for: Array(ids)).map { row in
        guard let row, let slot = row.layout.slot(named: "name") else { return "?" }
        return row.string(slot) + "#\(RecordKey.sequence(of: row.key))"
      }
    }
    for (entity, name) in [
      (company.department, "people"), (company.tag, "tagged"), (company.person, "tags"),
    ] {
      let found = try rows(entity)
      let ids = (0..<found.count).map { found.objectID(at: $0) }
      let destinations = try stack.coordinator.destinations(
        of: company.relationship(name, of: entity), for: ids)
      for (index, label) in try names(ids).enumerated() {
        lines.append("\(label): \(try names(destinations[source: index]))")
      }
    }
    return lines.sorted()
  }

  @Test("what is saved on hearing that a store goes is in the copy of it (B235, B238)")
  func savedBefore() throws {
    let company = stack.company
    let saved = Mutex(false)
    let token = NotificationCenter.default.addObserver(
      forName: .persistentStoreCoordinatorStoresWillChange, object: stack.coordinator, queue: nil
    ) { [stack, store] _ in
      guard !saved.withLock({ $0 }) else { return }
      _ = try? stack.insert(company.tag, named: "Late", into: store)
      saved.withLock { $0 = true }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("later"), type: MinimalDriver(typeName: "Later").type)
    #expect(try picture(stack).contains { $0.hasPrefix("Late") })
  }

  @Test("records, to-ones, links and orders are the same in the new store (B238)")
  func everythingIsCopied() throws {
    let before = try picture(stack)
    #expect(before.contains { $0.contains("T2#5: [") })
    let new = try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("new"), type: MinimalDriver(typeName: "Other").type)
    #expect(stack.coordinator.persistentStores.map { $0 === new } == [true])
    #expect(store.isClosed)
    #expect(new.metadata.storeType == "Other")
    #expect(try picture(stack) == before)
  }

  @Test(
    "everything moves from each kind of store to each other, and back (B238)",
    arguments: [
      [.inMemory, .sqlite, .minimal], [.sqlite, .inMemory, .sqlite],
      [.sqlite, .minimal, .inMemory], [.lmdb, .sqlite, .lmdb], [.inMemory, .lmdb, .minimal],
    ] as [[RealStores.Kind]])
  func realStores(_ kinds: [RealStores.Kind]) throws {
    let real = try RealStores()
    let before = try picture(stack)
    var current: any PersistentStore = store
    for (index, kind) in kinds.enumerated() {
      let description = real.description(kind, "step\(index)")
      current = try stack.coordinator.migratePersistentStore(
        current, to: description.url, type: description.type)
      #expect(try picture(stack) == before)
    }
  }

  @Test("the URIs of the objects change in the store's UUID only (B238)")
  func urisChange() throws {
    let old = ada(stack).uriRepresentation()
    let new = try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("new"), type: stack.driver.type)
    #expect(new.identity.identifier != store.identity.identifier)
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: old) == nil)
    let moved = old.absoluteString.replacingOccurrences(
      of: store.identity.identifier, with: new.identity.identifier)
    let id = try #require(stack.coordinator.managedObjectID(for: moved))
    #expect(try stack.coordinator.rows(for: [id])[0] != nil)
  }

  private func ada(_ stack: Stack) -> ObjectID { people[0] }

  @Test("new records do not take the numbers of copied ones (B303)")
  func numbersGoOn() throws {
    let new = try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("new"), type: stack.driver.type)
    let ids = try stack.insertPeople([("New", 1)], into: new)
    let largest = people.map { RecordKey.sequence(of: $0.key) }.max() ?? 0
    #expect(RecordKey.sequence(of: ids[0].key) > largest)
  }

  @Test("the batches may be of any size: the copy is the same")
  func smallBatches() throws {
    let before = try picture(stack)
    let other = try Stack(company: stack.company)
    let target = try other.addStore("target")
    var copy = StoreCopy(source: try stack.attached(store), destination: try other.attached(target))
    (copy.largestBatch, copy.largestLinkBatch) = (2, 2)
    try copy.run()
    #expect(try picture(other) == before)
  }

  @Test("no more rows are read or written at once than a batch has, however many there are (B238)")
  func boundedBatches() throws {
    try stack.insertPeople((0..<9_000).map { ("P\($0)", 1) }, into: store)
    let large = String(repeating: "x", count: 100_000)
    for _ in 0..<200 { try stack.insert(stack.company.tag, named: large, into: store) }
    let other = try Stack(company: stack.company)
    let target = try other.addStore("target")
    store.script.withLock { $0.rowRequests = [] }
    try StoreCopy(source: stack.attached(store), destination: other.attached(target)).run()
    let read = store.script.withLock { $0.rowRequests }
    let written = target.script.withLock { $0.commits.map(\.inserted.count) }
    #expect(read.map(\.count).reduce(0, +) == store.medium.content.withLock { $0.rows.count })
    #expect(read.map(\.count).max() == 2000 && written.max() == 2000)
    // A row has a hundred kilobytes, so four megabytes are about forty rows.
    let code = RecordKey.entityCode(of: tags[0].key)
    let sizes = read.filter { RecordKey.entityCode(of: $0[0]) == code }.map(\.count)
    #expect(sizes.first == 64 && sizes.dropFirst().allSatisfy { $0 <= 50 }, "\(sizes)")
    let links = target.script.withLock { $0.commits.map(\.links.count) }
    #expect(links.reduce(0, +) > 0)
  }

  @Test("a batch is as large as what was before it allows, and never empty")
  func batchSizes() {
    var batches = CopyBatches(keys: Array(0..<100), largest: 50, weightLimit: 100)
    var sizes: [Int] = []
    while let batch = batches.next() {
      sizes.append(batch.count)
      batches.weigh(batch.startIndex < 50 ? batch.count : batch.count * 1000)
      guard sizes.count < 200 else { break }
    }
    #expect(sizes == [50, 50])
    batches = CopyBatches(keys: Array(0..<100), largest: 1000, weightLimit: 100)
    sizes = []
    while let batch = batches.next() {
      sizes.append(batch.count)
      batches.weigh(batch.count * 30)
    }
    #expect(sizes == [64] + [Int](repeating: 3, count: 12))
  }

  @Test("a progress follows the copy from nothing to everything (B238)")
  func progress() throws {
    let progress = Progress(totalUnitCount: -1)
    let seen = Mutex<[Double]>([])
    store.script.withLock { script in
      script.duringRows = { seen.withLock { $0.append(progress.fractionCompleted) } }
    }
    try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("new"), type: stack.driver.type, progress: progress)
    let fractions = seen.withLock { $0 }
    #expect(fractions.first == 0 && fractions == fractions.sorted())
    #expect(progress.isFinished)
    #expect(progress.totalUnitCount > Int64(people.count + departments.count + tags.count))
  }

  @Test("a copy that is cancelled leaves the old store attached and nothing of the new one (B238)")
  func cancelled() throws {
    let driver = MinimalDriver(typeName: "Other")
    let before = try picture(stack)
    let progress = Progress(totalUnitCount: -1)
    store.script.withLock { $0.duringRows = { progress.cancel() } }
    #expect(
      errorCode {
        try stack.coordinator.migratePersistentStore(
          store, to: Stack.url("new"), type: driver.type, progress: progress)
      } == .userCancelled)
    store.script.withLock { $0.duringRows = nil }
    #expect(driver.media.withLock { $0.isEmpty })
    #expect(stack.coordinator.persistentStores.map { $0 === store } == [true])
    #expect(try picture(stack) == before)
    try stack.insertPeople([("New", 1)], into: store)
  }

  @Test("codes of entities may differ between the stores (B238)")
  func otherCodes() throws {
    let before = try picture(stack)
    let driver = MinimalDriver()
    let medium = MinimalMedium(type: "Minimal")
    medium.content.withLock { content in
      content.metadata.entityCodes = ["Zzz": 1, "Person": 40, "Tag": 30]
      content.lastSequence = 100
    }
    driver.media.withLock { $0[Stack.url("target").path] = medium }
    let other = try Stack(company: stack.company, driver: driver)
    let target = try other.addStore("target")
    try StoreCopy(source: stack.attached(store), destination: other.attached(target)).run()
    let renumbered = try picture(other).map { line in
      line.replacing(#/#(\d+)/#) { "#\((Int($0.1) ?? 0) - 100)" }
    }
    #expect(renumbered == before)
  }

  @Test("a copy gives no number of a deleted record, even if only a reference tells it (B30, B238)")
  func deletedNumbers() throws {
    let code = RecordKey.entityCode(of: departments[0].key)
    let gone = try #require(
      stack.attached(store).objectID(forKey: RecordKey.make(sequence: 5_000, entityCode: code)))
    try stack.insertPeople([("Left", 1)], into: store, department: gone)
    for tellsSequences in [true, false] {
      store.script.withLock { $0.tellsSequences = tellsSequences }
      let last = try store.lastSequence()
      let other = try Stack(company: stack.company)
      let target = try other.addStore("target")
      try StoreCopy(source: stack.attached(store), destination: other.attached(target)).run()
      #expect(try target.reserveSequences(1).lowerBound > max(last, 5_000))
    }
  }

  @Test("what the program keeps in the metadata goes along (B238)")
  func metadata() throws {
    var metadata = store.metadata
    metadata.userValues["a"] = .integer(1)
    try stack.coordinator.setMetadata(metadata, for: store)
    let new = try stack.coordinator.migratePersistentStore(
      store, to: Stack.url("new"), type: stack.driver.type)
    #expect(try stack.coordinator.metadata(for: new).userValues == ["a": .integer(1)])
  }

  @Test("a place that is taken is refused, and everything stays as it was (B238)")
  func takenPlace() throws {
    let other = try stack.addStore("taken")
    #expect(
      errorCode {
        try stack.coordinator.migratePersistentStore(
          store, to: Stack.url("taken"), type: stack.driver.type)
      } == .persistentStoreOpen)
    try stack.coordinator.remove(other)
    #expect(
      errorCode {
        try stack.coordinator.migratePersistentStore(
          store, to: Stack.url("taken"), type: stack.driver.type)
      } == .persistentStoreOpen)
    #expect(!store.isClosed)
  }

  @Test("a copy that fails leaves the old store attached and nothing of the new one (B262)")
  func failure() throws {
    let driver = MinimalDriver(typeName: "Failing")
    driver.failsCommits.withLock { $0 = true }
    let before = try picture(stack)
    #expect(
      errorCode {
        try stack.coordinator.migratePersistentStore(
          store, to: Stack.url("new"), type: driver.type)
      } == .storeFull)
    #expect(driver.media.withLock { $0.isEmpty })
    #expect(stack.coordinator.persistentStores.map { $0 === store } == [true])
    #expect(try picture(stack) == before)
  }

  @Test("the old store's observers learn that it is gone (B235)")
  func observers() throws {
    let observer = RecordingObserver()
    stack.coordinator.addObserver(observer)
    try stack.coordinator.migratePersistentStore(store, to: nil, type: stack.driver.type)
    #expect(observer.removed.withLock { $0.map(\.identifier) } == [store.identity.identifier])
  }
}
