// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Whole stores")
struct FilesTests {
  let stack: Stack
  let store: MinimalStore
  let ada: ObjectID

  init() throws {
    (stack, store) = try Stack.withStore()
    ada = try stack.insertPeople([("Ada", 36)], into: store)[0]
  }

  private func exists(_ name: String) -> Bool {
    stack.driver.media.withLock { $0[Stack.url(name).path] != nil }
  }

  // MARK: Destroying

  @Test("a store that is attached is removed, and then destroyed (B239, B341)")
  func destroyAttached() throws {
    let type = stack.driver.type
    try stack.coordinator.destroyPersistentStore(at: Stack.url("all"), type: type)
    #expect(!exists("all"))
    #expect(store.isClosed)
    #expect(stack.coordinator.persistentStores.isEmpty)
  }

  @Test("a store that is not attached is destroyed; one that is not there is no error (B239)")
  func destroy() throws {
    try stack.coordinator.remove(store)
    try stack.coordinator.destroyPersistentStore(at: Stack.url("all"), type: stack.driver.type)
    #expect(!exists("all"))
    try stack.coordinator.destroyPersistentStore(at: Stack.url("all"), type: stack.driver.type)
    #expect(
      errorCode {
        try stack.coordinator.destroyPersistentStore(at: Stack.url("all"), ofType: "Unheard")
      } == .persistentStoreInvalidType)
  }

  // MARK: Replacing

  @Test("a copy is made where none was, and takes the place of another (B240)")
  func replace() throws {
    for _ in 0..<2 {
      try stack.coordinator.replacePersistentStore(
        at: Stack.url("copy"), withPersistentStoreFrom: Stack.url("all"), type: stack.driver.type)
      let other = try Stack(company: stack.company, driver: stack.driver)
      let copy = try other.addStore("copy")
      #expect(other.names(try other.fetch(other.people())) == ["Ada"])
      try other.insertPeople([("Bob", 1)], into: copy)
      try other.coordinator.remove(copy)
    }
  }

  @Test("an attached store is not replaced, and a missing source is an error (B240)")
  func replaceRefused() throws {
    let type = stack.driver.type
    try stack.addStore("other")
    #expect(
      errorCode {
        try stack.coordinator.replacePersistentStore(
          at: Stack.url("all"), withPersistentStoreFrom: Stack.url("other"), type: type)
      } == .storeBusy)
    #expect(
      errorCode {
        try stack.coordinator.replacePersistentStore(
          at: Stack.url("new"), withPersistentStoreFrom: Stack.url("gone"), type: type)
      } == .persistentStoreOpen)
    #expect(!exists("new"))
  }

  // MARK: Moving

  private func move(_ from: String, to name: String) {
    stack.driver.media.withLock { media in
      media[Stack.url(name).path] = media[Stack.url(from).path]
      media[Stack.url(from).path] = nil
    }
  }

  @Test("a store whose file was moved is connected again, and its IDs still hold (B237)")
  func setURL() throws {
    move("all", to: "moved")
    let moved = try stack.coordinator.setURL(Stack.url("moved"), for: store)
    #expect(store.isClosed)
    #expect(stack.coordinator.persistentStores.map { $0 === moved } == [true])
    #expect(stack.coordinator.url(for: moved) == Stack.url("moved"))
    #expect(try stack.coordinator.rows(for: [ada])[0] != nil)
    #expect(ada.persistentStore === moved)
    try stack.commit(.updating([stack.update(ada, name: "Ada", age: 37, from: 1)]))
  }

  @Test("a place without the same store is refused, and the store stays where it was (B237)")
  func setURLRefused() throws {
    let other = try stack.addStore("other")
    try stack.coordinator.remove(other)
    for name in ["nowhere", "other"] {
      #expect(
        errorCode { try stack.coordinator.setURL(Stack.url(name), for: store) }
          == .persistentStoreOpen)
    }
    #expect(!store.isClosed)
    #expect(try stack.coordinator.rows(for: [ada])[0] != nil)
  }

  @Test("when the new place cannot be opened, the old one is connected again (B237)")
  func setURLFallsBack() throws {
    stack.driver.media.withLock { media in
      media[Stack.url("copy").path] = media[Stack.url("all").path]?.copy()
    }
    stack.driver.prepareFailure.withLock { $0 = PersistenceError(.corruptStore, "Broken.") }
    #expect(
      errorCode { try stack.coordinator.setURL(Stack.url("copy"), for: store) } == .corruptStore)
    #expect(stack.coordinator.persistentStores.count == 1)
    #expect(try stack.coordinator.rows(for: [ada], stalenessInterval: 0)[0] != nil)
  }
}
