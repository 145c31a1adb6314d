// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostInMemory

/// Tests of a binary store's file beside other processes, and beside files of others.
@Suite struct BinarySharingTests {
  let file: BinaryFixture

  init() throws {
    file = try BinaryFixture()
    let store = try file.open()
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    store.close()
  }

  private var readOnly: PersistentStoreDescription {
    var description = file.description
    description.isReadOnly = true
    return description
  }

  /// The error of opening the store for writing, without a wait.
  private func busy() -> PersistenceError.Code? {
    var description = file.description
    description.timeout = 0
    do {
      try file.open(description).close()
      return nil
    } catch {
      return (error as? PersistenceError)?.code
    }
  }

  /// Whether another process could lock the file.
  private func canLock(_ operation: Int32) -> Bool {
    let other = open(file.location.path, O_RDONLY)
    defer { close(other) }
    return flock(other, operation | LOCK_NB) == 0
  }

  @Test("a store that is opened for writing in vain keeps others from writing it")
  func failedUpgrade() throws {
    let store = try file.open(readOnly)
    let other = open(file.location.path, O_RDONLY)
    #expect(flock(other, LOCK_SH | LOCK_NB) == 0)
    #expect(busy() == .storeBusy)
    close(other)
    #expect(!canLock(LOCK_EX), "the store is open for reading")
    #expect(canLock(LOCK_SH))
    store.close()
    #expect(canLock(LOCK_EX))
  }

  @Test("the lock for writing ends with the last store that is open for writing")
  func downgrade() throws {
    let reader = try file.open(readOnly)
    let writers = [try file.open(), try file.open()]
    #expect(!canLock(LOCK_SH))
    writers[0].close()
    #expect(!canLock(LOCK_SH))
    writers[1].close()
    #expect(canLock(LOCK_SH))
    #expect(!canLock(LOCK_EX))
    #expect(try file.labels(reader) == ["one"])
    reader.close()
  }

  @Test("what another process saved since the store was opened for reading is not overwritten")
  func replacedMeanwhile() throws {
    let reader = try file.open(readOnly)
    // Another process: it makes a new file and gives it the name.
    let elsewhere = PersistentStoreDescription.binary(at: file.folder.appending(path: "elsewhere"))
    try file.driver.replace(elsewhere, with: file.description)
    let other = try file.open(elsewhere)
    _ = try other.commit(StoreChangeSet(inserted: [file.tag(2, "two")]))
    other.close()
    let path = try BinaryLocation(elsewhere.url).path
    #expect(rename(path, file.location.path) == 0)
    let writer = try file.open()
    #expect(try file.labels(writer) == ["one", "two"])
    _ = try writer.commit(StoreChangeSet(inserted: [file.tag(3, "three")]))
    #expect(try file.labels(reader) == ["one"])
    reader.close()
    #expect(!canLock(LOCK_SH), "the reader had another file")
    writer.close()
    let again = try file.open()
    #expect(try file.labels(again) == ["one", "two", "three"])
    again.close()
  }

  @Test("a store that was opened before a fork is neither read nor written after it")
  func fork() throws {
    let parents = try BinaryFile(
      file.location, isReadOnly: false, timeout: 1, process: ProcessGeneration.current - 1)
    let engine = BinaryEngine(parents, isReadOnly: false)
    let refusal = PersistenceError(.persistentStoreOperation, "")
    #expect(throws: refusal) { try engine.read { _ in } }
    #expect(throws: refusal) { try engine.write { _, batch in batch.setBlob([1], named: "x") } }
    #expect(throws: refusal) { _ = try engine.frozen() }
    #expect(!canLock(LOCK_SH), "the parent's lock")
    engine.close()
    let store = try file.open()
    #expect(try file.labels(store) == ["one"])
    store.close()
  }

  @Test("a version whose folder could not be flushed is the one to read, once it is")
  func doubtfulSave() throws {
    let fails = Mutex(false)
    let opened = try BinaryFile(
      file.location, isReadOnly: false, timeout: 1,
      synchronizeFolder: { path in
        if fails.withLock({ $0 }) { throw PersistenceError(.persistentStoreOperation, "EIO") }
        try DurableFiles.synchronizeFolder(of: path)
      })
    let engine = BinaryEngine(opened, isReadOnly: false)
    func blobs() throws -> [[UInt8]?] {
      var found: [[UInt8]?] = []
      try engine.read { found = [try $0.blob(named: "a"), try $0.blob(named: "b")] }
      return found
    }
    fails.withLock { $0 = true }
    #expect(throws: PersistenceError(.commitOutcomeUnknown, "")) {
      try engine.write { _, batch in batch.setBlob([1], named: "a") }
    }
    let refusal = PersistenceError(.persistentStoreOperation, "")
    #expect(throws: refusal) { try blobs() }
    #expect(throws: refusal) { try engine.write { _, batch in batch.setBlob([9], named: "a") } }
    fails.withLock { $0 = false }
    #expect(try blobs() == [[1], nil])
    try engine.write { _, batch in batch.setBlob([2], named: "b") }
    engine.close()
    let again = BinaryEngine(
      try BinaryFile(file.location, isReadOnly: true, timeout: 1), isReadOnly: true)
    var found: [[UInt8]?] = []
    try again.read { found = [try $0.blob(named: "a"), try $0.blob(named: "b")] }
    #expect(found == [[1], [2]])
    again.close()
  }

  @Test("opening a store removes the files of its killed saves, and no others")
  func abandonedFiles() throws {
    let name = file.location.name
    let neighbour = try BinaryLocation(file.folder.appending(path: name + "-2"))
    let killed = file.location.temporaryPath()
    let saving = file.location.temporaryPath()
    let others = [
      saving, neighbour.temporaryPath(), file.location.temporaryPath() + "x",
      "\(file.folder.path)/.\(name).roost-mine", "\(file.folder.path)/.\(name).roost-2",
    ]
    for path in others + [killed] { try Data([1]).write(to: URL(filePath: path)) }
    // A save that is under way holds the lock on its file.
    let lock = open(saving, O_RDONLY)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    try file.open().close()
    #expect(!FileManager.default.fileExists(atPath: killed))
    for path in others { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
    close(lock)
  }

  @Test("a name of any length has files of its saves", arguments: [1, 100, 240, 255])
  func longNames(length: Int) throws {
    let url = file.folder.appending(path: String(repeating: "n", count: length))
    let store = try file.open(.binary(at: url))
    _ = try store.commit(StoreChangeSet(inserted: [file.tag(1, "one")]))
    store.close()
    #expect(try file.names().count == 2)
  }
}
