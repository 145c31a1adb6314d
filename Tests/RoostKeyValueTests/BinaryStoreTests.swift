// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of binary stores: stores in memory that each save writes completely to a file.
@Suite struct BinaryStoreTests {
  let file: BinaryFixture

  init() throws { file = try BinaryFixture() }

  @Test("what was saved is there when the store is opened again")
  func reopening() throws {
    let first = try file.open()
    _ = try first.commit(StoreChangeSet(inserted: [file.tag(1, "one"), file.tag(2, "two")]))
    let reserved = try first.reserveSequences(5)
    let identifier = first.identity.identifier
    first.close()
    let second = try file.open()
    #expect(second.identity.identifier == identifier)
    #expect(try file.labels(second) == ["one", "two"])
    #expect(try second.reserveSequences(1).lowerBound > reserved.upperBound)
    second.close()
    var metadata = try #require(try file.driver.metadata(of: file.description))
    metadata.userValues["mark"] = .integer(7)
    try file.driver.setMetadata(metadata, of: file.description)
    #expect(try file.driver.metadata(of: file.description)?.userValues["mark"] == .integer(7))
    let third = try file.open()
    #expect(try file.labels(third) == ["one", "two"])
    third.close()
  }

  @Test("a file gets another version with its first part, so that older code refuses it (X7)")
  func versionWithParts() throws {
    func version() throws -> UInt8 { try Data(contentsOf: file.url)[16] }
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    #expect(try version() == 1)
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "D", name: "db"),
      participants: [store.identity.identifier], startedAt: 1)
    let preparation = try #require(store.preparation)
    _ = try preparation.prepare(StoreChangeSet(inserted: [file.tag(2, "two")]), for: ticket)
    #expect(try version() == 2)
    store.close()
    let again = try file.open()
    #expect(try again.preparation?.pending().map(\.ticket) == [ticket])
    _ = try again.preparation?.finish(ticket.id, committing: true)
    #expect(try version() == 2)
    #expect(try file.labels(again) == ["one", "two"])
    again.close()
  }

  @Test("records of an entity that the model no longer has stay in the file")
  func unknownEntities() throws {
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    store.close()
    let engine = BinaryEngine(
      try BinaryFiles.shared.take(file.location, isReadOnly: false, timeout: 1), isReadOnly: false)
    // Without an adopted schema no record is decoded.
    try engine.write { _, batch in batch.setBlob([1, 2, 3], named: "other") }
    engine.close()
    let again = try file.open()
    #expect(try file.labels(again) == ["one"])
    again.close()
  }

  @Test("a file that refers to other stores has a format that an earlier version refuses (X41)")
  func referring() throws {
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    store.close()
    let url = try #require(file.description.url)
    #expect(try Data(contentsOf: url)[16] == 1)
    let engine = BinaryEngine(
      try BinaryFiles.shared.take(file.location, isReadOnly: false, timeout: 1), isReadOnly: false)
    for _ in 1...2 {
      try engine.write { snapshot, batch in try FormatBlob.raise(over: snapshot, in: &batch) }
    }
    engine.close()
    #expect(try Data(contentsOf: url)[16] == 2)
    let again = try file.open()
    #expect(try file.labels(again) == ["one"])
    again.close()
    #expect(try Data(contentsOf: url)[16] == 2)
  }

  @Test("a save flushes the new file, gives it the name, and flushes the folder (B367)")
  func durability() throws {
    let store = try file.open()
    let steps = Mutex<[DurableFiles.Step]>([])
    try DurableFiles.$recorder.withValue({ step in steps.withLock { $0.append(step) } }) {
      _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    }
    let taken = steps.withLock { $0 }
    #expect(taken.count == 3)
    guard case .synchronizeFile(let temporary)? = taken.first else {
      Issue.record("The file was not flushed first: \(taken)")
      return
    }
    #expect(temporary != file.location.name)
    #expect(Array(taken.dropFirst()) == [.move(file.location.name), .synchronizeFolder])
    store.close()
    #expect(try file.names() == [file.location.name])
  }

  @Test("what can be read is made durable by flushing the folder (X3)")
  func makingDurable() throws {
    try file.open().close()
    let engine = BinaryEngine(
      try BinaryFiles.shared.take(file.location, isReadOnly: false, timeout: 1), isReadOnly: false)
    let steps = Mutex<[DurableFiles.Step]>([])
    try DurableFiles.$recorder.withValue({ step in steps.withLock { $0.append(step) } }) {
      try engine.makeDurable()
    }
    #expect(steps.withLock { $0 } == [.synchronizeFolder])
    engine.close()
  }

  @Test("a read-only store refuses to be written, and must be there (B236)")
  func readOnly() throws {
    var description = file.description
    description.isReadOnly = true
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try file.open(description)
    }
    try file.open().close()
    let store = try file.open(description)
    #expect(throws: PersistenceError(.readOnlyStore, "")) {
      try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    }
    store.close()
  }

  @Test("a store that another process has open is busy, and its file is not destroyed")
  func busy() throws {
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    // Open in this process: shared.
    let second = try file.open()
    #expect(try file.labels(second) == ["one"])
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try file.driver.destroy(file.description)
    }
    store.close()
    second.close()
    let other = open(file.location.path, O_RDONLY)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    var description = file.description
    description.timeout = 0
    #expect(throws: PersistenceError(.storeBusy, "")) { try file.open(description) }
    #expect(throws: PersistenceError(.storeBusy, "")) { try file.driver.destroy(description) }
    #expect(flock(other, LOCK_UN) == 0)
    let third = try file.open()
    #expect(try file.labels(third) == ["one"])
    third.close()
    try file.driver.destroy(file.description)
    #expect(try file.driver.metadata(of: file.description) == nil)
  }

  @Test("a file that was replaced while the store is open is not overwritten")
  func replaced() throws {
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    try Data("mine".utf8).write(to: file.url, options: .atomic)
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
      try store.commit(StoreChangeSet(inserted: [file.tag(2, "two")]))
    }
    #expect(try file.labels(store) == ["one"])
    store.close()
    #expect(try Data(contentsOf: file.url) == Data("mine".utf8))
  }

  @Test("a copy takes the place of another store, and never that of another program's file (B240)")
  func replacing() throws {
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    store.close()
    let copy = PersistentStoreDescription.binary(at: file.folder.appending(path: "copy"))
    try file.driver.replace(copy, with: file.description)
    let opened = try file.open(copy)
    #expect(try file.labels(opened) == ["one"])
    opened.close()
    let foreign = file.folder.appending(path: "text")
    let text = Data(repeating: 0x20, count: 500)
    try text.write(to: foreign)
    let description = PersistentStoreDescription.binary(at: foreign)
    let refusal = PersistenceError(.persistentStoreTypeMismatch, "")
    #expect(throws: refusal) { try file.driver.replace(description, with: file.description) }
    #expect(throws: refusal) { try file.driver.destroy(description) }
    #expect(throws: refusal) { try file.driver.metadata(of: description) }
    #expect(throws: refusal) { try file.open(description) }
    #expect(throws: refusal) { try file.driver.replace(copy, with: description) }
    #expect(try Data(contentsOf: foreign) == text)
    let device = PersistentStoreDescription.binary(at: URL(filePath: "/dev/zero"))
    #expect(throws: refusal) { try file.driver.destroy(device) }
    #expect(throws: refusal) { try file.open(device) }
  }
}
