// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Metadata")
struct MetadataTests {
  private func stored(_ stack: Stack, _ name: String) -> StoreMetadata? {
    stack.driver.media.withLock { $0[Stack.url(name).path] }?.content.withLock { $0.metadata }
  }

  @Test("metadata that is set is read at once and written by the next save of the store (B244)")
  func writtenAtNextSave() throws {
    let (stack, store) = try Stack.withStore()
    var metadata = try stack.coordinator.metadata(for: store)
    metadata.userValues["imported"] = .integer(7)
    try stack.coordinator.setMetadata(metadata, for: store)
    #expect(try stack.coordinator.metadata(for: store).userValues["imported"] == .integer(7))
    #expect(stored(stack, "all")?.userValues["imported"] == nil)
    #expect(stack.coordinator.hasPendingMetadata)
    try stack.insertPeople([("Ada", 36)], into: store)
    #expect(stored(stack, "all")?.userValues["imported"] == .integer(7))
    #expect(!stack.coordinator.hasPendingMetadata)
  }

  @Test("a save without changes writes metadata only (B323)")
  func metadataOnly() throws {
    let (stack, store) = try Stack.withStore()
    var metadata = store.metadata
    metadata.userValues["a"] = .boolean(true)
    try stack.coordinator.setMetadata(metadata, for: store)
    try stack.commit(CommitRequest())
    #expect(stored(stack, "all")?.userValues["a"] == .boolean(true))
    let commits = store.script.withLock { $0.commits }
    #expect(commits.count == 1)
    #expect(commits[0].recordCount == 0)
    try stack.commit(CommitRequest())
    #expect(store.script.withLock { $0.commits.count } == 1)
  }

  @Test("a save of one store leaves the metadata of another waiting (B244)")
  func otherStoreWaits() throws {
    let stack = try Stack()
    let (staff, notes) = (
      try stack.addStore("staff", configuration: "Staff"),
      try stack.addStore("notes", configuration: "NotesOnly")
    )
    var metadata = notes.metadata
    metadata.userValues["a"] = .boolean(true)
    try stack.coordinator.setMetadata(metadata, for: notes)
    try stack.insertPeople([("Ada", 36)], into: staff)
    #expect(stored(stack, "notes")?.userValues["a"] == nil)
    #expect(stack.coordinator.hasPendingMetadata)
  }

  @Test("a failed save keeps the metadata waiting (B171)")
  func failedSave() throws {
    let (stack, store) = try Stack.withStore()
    var metadata = store.metadata
    metadata.userValues["a"] = .boolean(true)
    try stack.coordinator.setMetadata(metadata, for: store)
    store.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    #expect(errorCode { try stack.commit(CommitRequest()) } == .storeFull)
    #expect(stack.coordinator.hasPendingMetadata)
  }

  @Test("type, hashes and codes cannot be set; a UUID can, and counts from the next adding (B244)")
  func guardedFields() throws {
    let (stack, store) = try Stack.withStore()
    let before = store.metadata
    var metadata = StoreMetadata(storeType: "Forged", identifier: UUID().uuidString)
    metadata.entityCodes = ["Person": 9]
    try stack.coordinator.setMetadata(metadata, for: store)
    try stack.commit(CommitRequest())
    let after = try #require(stored(stack, "all"))
    #expect(after.storeType == "Minimal")
    #expect(after.entityCodes == before.entityCodes)
    #expect(after.entityVersionHashes == before.entityVersionHashes)
    #expect(after.identifier == metadata.identifier)
    #expect(store.identity.identifier == before.identifier)
    try stack.coordinator.remove(store)
    #expect(try stack.addStore("all").identity.identifier == metadata.identifier)
  }

  @Test(
    "a UUID that could not stand in a URI is refused", arguments: ["", "a/b", "ä", "a b", "a?"])
  func impossibleUUID(_ identifier: String) throws {
    let (stack, store) = try Stack.withStore()
    let metadata = StoreMetadata(storeType: "Minimal", identifier: identifier)
    #expect(
      errorCode { try stack.coordinator.setMetadata(metadata, for: store) } == .invalidValue)
  }

  @Test("the metadata of a read-only store cannot be set (B236)")
  func readOnly() throws {
    let stack = try Stack()
    let store = try stack.addStore("a", options: [StoreOption.readOnly: .boolean(true)])
    #expect(
      errorCode { try stack.coordinator.setMetadata(store.metadata, for: store) } == .readOnlyStore)
  }

  @Test("metadata can be read and written without a coordinator (B245)")
  func withoutCoordinator() throws {
    let (stack, store) = try Stack.withStore()
    try stack.coordinator.remove(store)
    let url = Stack.url("all")
    var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
      type: stack.driver.type, at: url)
    #expect(metadata.identifier == store.identity.identifier)
    metadata.userValues["a"] = .string("b")
    metadata.entityCodes = [:]
    try PersistentStoreCoordinator.setMetadata(metadata, type: stack.driver.type, at: url)
    #expect(stored(stack, "all")?.userValues == ["a": .string("b")])
    #expect(stored(stack, "all")?.entityCodes == store.metadata.entityCodes)
  }

  @Test("metadata of a store that is not there is an error (B245)")
  func missingStore() throws {
    let driver = MinimalDriver()
    #expect(
      errorCode {
        _ = try PersistentStoreCoordinator.metadataForPersistentStore(
          type: driver.type, at: Stack.url("nowhere"))
      } == .persistentStoreOpen)
    #expect(
      errorCode {
        _ = try PersistentStoreCoordinator.metadataForPersistentStore(
          ofType: "Unheard", at: Stack.url("nowhere"))
      } == .persistentStoreInvalidType)
  }

  @Test("a removed store has no metadata for the coordinator")
  func removedStore() throws {
    let (stack, store) = try Stack.withStore()
    try stack.coordinator.remove(store)
    #expect(errorCode { _ = try stack.coordinator.metadata(for: store) } == .storeRemoved)
    #expect(
      errorCode { try stack.coordinator.setMetadata(store.metadata, for: store) } == .storeRemoved)
  }
}
