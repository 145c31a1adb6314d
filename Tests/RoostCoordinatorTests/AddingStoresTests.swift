// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Adding stores")
struct AddingStoresTests {
  @Test("a coordinator freezes its model (B1)")
  func freezesModel() throws {
    let stack = try Stack()
    #expect(stack.company.model.isFrozen)
  }

  @Test("a model with faults is refused with all of them")
  func invalidModel() {
    let first = EntityDescription(name: "A")
    let second = EntityDescription(name: "B")
    first.properties = [RelationshipDescription(name: "nowhere")]
    second.properties = [AttributeDescription(name: "nothing", type: .undefined)]
    let model = ManagedObjectModel(entities: [first, second])
    do {
      _ = try PersistentStoreCoordinator(managedObjectModel: model)
      Issue.record("The model was taken.")
    } catch {
      let error = error as? PersistenceError
      #expect(error?.code == .invalidModel)
      #expect((error?.underlyingErrors.count ?? 0) >= 2)
    }
  }

  @Test("a store takes part with the entities of its configuration only (B229)")
  func configuration() throws {
    let stack = try Stack()
    let notes = try stack.attached(stack.addStore("notes", configuration: "Notes"))
    #expect(notes.holds(stack.company.note))
    #expect(!notes.holds(stack.company.person))
    #expect(notes.schema.entities.map(\.name) == ["Note", "Tag"])
    #expect(notes.schema.linkTables.isEmpty)
    let staff = try stack.attached(stack.addStore("staff", configuration: "Staff"))
    #expect(staff.schema.linkTables.count == 1)
    let names = staff.schema.entities.map(\.name)
    #expect(names.last == "Employee")
  }

  @Test("stores are listed in the order of adding")
  func order() throws {
    let stack = try Stack()
    let stores = try ["c", "a", "b"].map { try stack.addStore($0) }
    #expect(
      stack.coordinator.persistentStores.map { ObjectIdentifier($0) }
        == stores.map { ObjectIdentifier($0) })
    #expect(stack.coordinator.persistentStore(for: Stack.url("a")) === stores[1])
    #expect(stack.coordinator.url(for: stores[2]) == Stack.url("b"))
  }

  @Test("an unknown configuration is refused (B229)")
  func unknownConfiguration() throws {
    let stack = try Stack()
    #expect(
      errorCode { try stack.addStore("a", configuration: "Nobody") }
        == .persistentStoreIncompatibleSchema)
    #expect(stack.coordinator.persistentStores.isEmpty)
  }

  @Test("the same place is not added twice, under another name neither (B243)")
  func duplicateURL() throws {
    let stack = try Stack()
    try stack.addStore("a")
    #expect(errorCode { try stack.addStore("a") } == .persistentStoreOpen)
    #expect(errorCode { try stack.addStore("b/../a") } == .persistentStoreOpen)
    #expect(stack.coordinator.persistentStores.count == 1)
  }

  @Test(
    "stores without a place, and throw-away ones at /dev/null, can be added again and again (B243)")
  func storesWithoutPlace() throws {
    let stack = try Stack()
    try stack.addStore(nil)
    try stack.addStore(nil)
    #expect(stack.coordinator.persistentStores.count == 2)
    #expect(StoreNaming.place(of: URL(filePath: "/dev/null")) == nil)
  }

  @Test("a copy of an attached store has its UUID and is refused (B243)")
  func duplicateUUID() throws {
    let stack = try Stack()
    try stack.addStore("a")
    stack.driver.media.withLock { $0[Stack.url("copy").path] = $0[Stack.url("a").path]?.copy() }
    #expect(errorCode { try stack.addStore("copy") } == .persistentStoreOpen)
    #expect(stack.driver.stores.withLock { $0[1].isClosed })
    #expect(stack.coordinator.persistentStores.count == 1)
  }

  @Test("a file of another type is refused (B241)")
  func otherType() throws {
    let stack = try Stack()
    stack.driver.media.withLock { $0[Stack.url("a").path] = MinimalMedium(type: "Other") }
    #expect(errorCode { try stack.addStore("a") } == .persistentStoreTypeMismatch)
    #expect(stack.coordinator.persistentStores.isEmpty)
    #expect(stack.driver.stores.withLock { $0[0].isClosed })
  }

  @Test("a store that refuses the model leaves the coordinator as it was (B14)")
  func refusedModel() throws {
    let stack = try Stack()
    stack.driver.prepareFailure.withLock {
      $0 = PersistenceError(.persistentStoreIncompatibleSchema, "No.")
    }
    #expect(errorCode { try stack.addStore("a") } == .persistentStoreIncompatibleSchema)
    #expect(stack.coordinator.persistentStores.isEmpty)
    #expect(stack.driver.media.withLock { $0.isEmpty })
    try stack.addStore("a")
  }

  @Test("a store that cannot keep values unique refuses a model that wants it (B14)")
  func uniqueness() throws {
    let entity = EntityDescription(name: "User")
    entity.properties = [AttributeDescription(name: "email", type: .string)]
    entity.uniquenessConstraints = [["email"]]
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(entities: [entity]))
    #expect(
      errorCode { try coordinator.addPersistentStore(type: MinimalDriver().type) }
        == .persistentStoreIncompatibleSchema)
  }

  @Test("a type is found by its name; an unknown name is 134000; nil forgets it (B242)")
  func namedTypes() throws {
    let stack = try Stack(driver: MinimalDriver(typeName: "Named"))
    func add() throws {
      try stack.coordinator.addPersistentStore(
        ofType: "Named", configurationName: nil, at: Stack.url("a"))
    }
    #expect(errorCode { try add() } == .persistentStoreInvalidType)
    PersistentStoreCoordinator.registerStoreType(stack.driver.type)
    #expect(PersistentStoreCoordinator.registeredStoreTypes["Named"] == stack.driver.type)
    try add()
    PersistentStoreCoordinator.registerStoreType(nil, forStoreType: "Named")
    #expect(
      errorCode { _ = try PersistentStoreCoordinator.registeredStoreType(named: "Named") }
        == .persistentStoreInvalidType)
    #expect(PersistenceError.Code.persistentStoreInvalidType.rawValue == 134000)
  }

  @Test("options set what the description has a property for; the rest is the backend's")
  func options() throws {
    let stack = try Stack()
    let store = try stack.addStore(
      "a",
      options: [
        StoreOption.timeout: .integer(5), StoreOption.migrateAutomatically: .boolean(false),
        "own": .string("x"),
      ])
    #expect(store.description.timeout == 5)
    #expect(!store.description.shouldMigrateStoreAutomatically)
    #expect(store.description.options == ["own": .string("x")])
    #expect(
      errorCode { try stack.addStore("b", options: [StoreOption.readOnly: .string("yes")]) }
        == .invalidValue)
  }

  @Test("a description can be added in the background, and its handler learns of failures (B333)")
  func completionHandler() async throws {
    let stack = try Stack()
    var description = PersistentStoreDescription(type: stack.driver.type, url: Stack.url("a"))
    description.shouldAddStoreAsynchronously = true
    for expected in [nil, PersistenceError.Code.persistentStoreOpen] {
      let code = await withCheckedContinuation { continuation in
        stack.coordinator.addPersistentStore(with: description) { _, error in
          continuation.resume(returning: error?.code)
        }
      }
      #expect(code == expected)
    }
    #expect(stack.coordinator.persistentStores.count == 1)
  }

  @Test("a store that is added in the background can be used from its handler on (B333)")
  func usableLater() async throws {
    let stack = try Stack()
    var description = PersistentStoreDescription(type: stack.driver.type, url: Stack.url("a"))
    description.shouldAddStoreAsynchronously = true
    // Opening the store waits for the test's signal.
    let gate = DispatchSemaphore(value: 0)
    stack.driver.duringOpen.withLock { $0.body = { gate.wait() } }
    let error: PersistenceError? = await withCheckedContinuation { continuation in
      stack.coordinator.addPersistentStore(with: description) { _, error in
        continuation.resume(returning: error)
      }
      #expect(stack.coordinator.persistentStores.isEmpty)
      #expect(errorCode { _ = try stack.fetch(stack.people()) } == .noStore)
      gate.signal()
    }
    #expect(error == nil)
    #expect(stack.coordinator.persistentStores.count == 1)
    #expect(stack.names(try stack.fetch(stack.people())).isEmpty)
  }

  @Test("adding and removing are announced (B106)")
  func notifications() throws {
    let stack = try Stack()
    let seen = Mutex<[String]>([])
    let names: [Notification.Name] = [
      .persistentStoreCoordinatorStoresWillChange, .persistentStoreCoordinatorStoresDidChange,
      .persistentStoreCoordinatorWillRemoveStore,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
        let isOurs =
          note.object as? PersistentStoreCoordinator === stack.coordinator
          || stack.coordinator.persistentStores.contains { $0 === note.object as? MinimalStore }
        guard isOurs else { return }
        let added = note.userInfo?[PersistentStoreCoordinator.addedPersistentStoresKey]
        let removed = note.userInfo?[PersistentStoreCoordinator.removedPersistentStoresKey]
        let what = added != nil ? " added" : removed != nil ? " removed" : ""
        let name = note.name.rawValue.drop { $0 != "C" }.dropFirst("Coordinator".count)
        seen.withLock { $0.append("\(name)\(what)") }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    let store = try stack.addStore("notified")
    try stack.coordinator.remove(store)
    #expect(
      seen.withLock { $0 } == [
        "StoresWillChange", "StoresDidChange added", "StoresWillChange removed", "WillRemoveStore",
        "StoresDidChange removed",
      ])
  }
}
