// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostCoordinator

@Suite("Remote changes")
struct RemoteChangeTests {
  private static let option = StoreOption.remoteChangeNotification

  @Test("what is written is told once, with the store, after the commit (B289)")
  func told() async throws {
    let stack = try Stack()
    let store = try stack.addStore("all", options: [Self.option: .boolean(true)])
    var messages = stack.coordinator.remoteChangeMessages().makeAsyncIterator()
    try stack.insertPeople([("Ada", 36)], into: store)
    let first = await messages.next()
    #expect(first?.storeUUID == store.identity.identifier)
    #expect(first?.storeURL == Stack.url("all"))
    let other = try stack.addStore("more", options: [Self.option: .integer(1)])
    try stack.insertPeople([("Bob", 25)], into: other)
    // One message per write: the next one is about the other store.
    #expect(await messages.next()?.storeUUID == other.identity.identifier)
  }

  @Test("a slow reader finds the newest message of each store, and has room for no more (B289)")
  func coalesced() async throws {
    let stack = try Stack()
    let coordinator = stack.coordinator
    let one = try stack.addStore("one", options: [Self.option: .boolean(true)])
    let two = try stack.addStore("two", options: [Self.option: .boolean(true)])
    let sent = Atomic<Int>(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .persistentStoreRemoteChange, object: coordinator, queue: nil
    ) { _ in sent.wrappingAdd(1, ordering: .relaxed) }
    defer { NotificationCenter.default.removeObserver(observer) }
    var messages: AsyncStream<PersistentStoreCoordinator.RemoteChangeMessage>.Iterator? =
      coordinator.remoteChangeMessages().makeAsyncIterator()
    for round in 0..<40 {
      try stack.insertPeople([("Ada \(round)", 36)], into: round.isMultiple(of: 2) ? one : two)
    }
    try await waitUntil(sent.load(ordering: .relaxed) >= 40)
    var found: [String?] = []
    for _ in 0..<2 { found.append(await messages?.next()?.storeUUID) }
    #expect(found == [one, two].map(\.identity.identifier))
    // There is no other one: what is written now comes next.
    try stack.insertPeople([("Bob", 25)], into: two)
    #expect(await messages?.next()?.storeUUID == two.identity.identifier)
    #expect(coordinator.remoteChanges.readerCount == 1)
    messages = nil
    #expect(coordinator.remoteChanges.readerCount == 0)
  }

  @Test("a cancelled reader ends, and a message that comes while it waits wakes it (B289)")
  func waiting() async throws {
    let stack = try Stack()
    let store = try stack.addStore("all", options: [Self.option: .boolean(true)])
    let messages = stack.coordinator.remoteChangeMessages()
    let heard = Atomic<Int>(0)
    let task = Task {
      for await _ in messages { heard.wrappingAdd(1, ordering: .relaxed) }
    }
    for number in 1...20 {
      try stack.insertPeople([("p\(number)", 1)], into: store)
      try await waitUntil(heard.load(ordering: .relaxed) >= number)
    }
    task.cancel()
    await task.value
  }

  @Test("a store without the option is silent, and so is one that was removed (B289)")
  func silent() async throws {
    let stack = try Stack()
    let quiet = try stack.addStore("quiet")
    let off = try stack.addStore("off", options: [Self.option: .boolean(false)])
    let loud = try stack.addStore("loud", options: [Self.option: .boolean(true)])
    let attached = try stack.attached(loud)
    var messages = stack.coordinator.remoteChangeMessages().makeAsyncIterator()
    for store in [quiet, off, loud] { try stack.insertPeople([("Ada", 36)], into: store) }
    #expect(await messages.next()?.storeUUID == loud.identity.identifier)
    try stack.coordinator.remove(loud)
    #expect(attached.watch == nil)
  }

  @Test("the sequence of messages ends with the coordinator")
  func end() async throws {
    var stack: Stack? = try Stack()
    let messages = try #require(stack?.coordinator.remoteChangeMessages())
    stack = nil
    var iterator = messages.makeAsyncIterator()
    #expect(await iterator.next() == nil)
  }

  @Test("an option that is no truth value is refused, and no store is added")
  func badOption() throws {
    let stack = try Stack()
    #expect(
      errorCode { try stack.addStore("all", options: [Self.option: .string("yes")]) }
        == .invalidValue)
    var description = PersistentStoreDescription(type: stack.driver.type, url: Stack.url("all"))
    description.options[Self.option] = .integer(7)
    #expect(
      errorCode { try stack.coordinator.addPersistentStore(with: description) } == .invalidValue)
    #expect(stack.coordinator.persistentStores.isEmpty)
  }

  @Test("a failed commit tells nothing (B289)")
  func failure() async throws {
    let stack = try Stack()
    let store = try stack.addStore("all", options: [Self.option: .boolean(true)])
    // Listens before the first write: messages are sent soon after a write, to the current listeners.
    var messages = stack.coordinator.remoteChangeMessages().makeAsyncIterator()
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    _ = await messages.next()
    let late = CommitRequest.updating([stack.update(id, name: "Ada", age: 1, from: 7)])
    #expect(errorCode { try stack.commit(late) } == .managedObjectMerge)
    let other = try stack.addStore("more", options: [Self.option: .boolean(true)])
    try stack.insertPeople([("Bob", 25)], into: other)
    #expect(await messages.next()?.storeUUID == other.identity.identifier)
  }
}
