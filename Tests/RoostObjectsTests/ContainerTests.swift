// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Synchronization
import Testing

@Suite("Containers")
struct ContainerTests {
  /// A container with another default folder.
  private final class ElsewhereContainer: PersistentContainer, @unchecked Sendable {
    // Sendable: it has no state of its own.

    override class func defaultDirectoryURL() -> URL { URL(filePath: "/elsewhere/") }
  }

  private static func container(
    _ stores: [PersistentStoreDescription]
  ) throws -> PersistentContainer {
    try PersistentContainer(name: "test", model: Stack.makeModel(), stores: stores)
  }

  private static func impossible() -> PersistentStoreDescription {
    var store = PersistentStoreDescription.inMemory()
    store.configuration = "there is none"
    return store
  }

  @Test("each description is told once, one that fails does not stop the others (B332)")
  func handlers() throws {
    let container = try Self.container([.inMemory(), Self.impossible(), .inMemory()])
    let told = Mutex<[String]>([])
    func load() {
      container.loadPersistentStores { description, error in
        let line = "\(description.configuration ?? "all") \(error?.code.rawValue ?? 0)"
        told.withLock { $0.append(line) }
      }
    }
    load()
    #expect(told.withLock { $0 } == ["all 0", "there is none 134020", "all 0"])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    // Loading again adds only the missing stores.
    container.persistentStoreDescriptions[1].configuration = nil
    told.withLock { $0 = [] }
    load()
    #expect(told.withLock { $0 } == ["all 0"])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 3)
    load()
    #expect(told.withLock { $0 } == ["all 0"])
  }

  @Test("the form that throws adds the others too, and throws what went wrong first (B332)")
  func throwing() throws {
    let container = try Self.container([Self.impossible(), .inMemory()])
    #expect(code { try container.loadPersistentStores() } == .persistentStoreIncompatibleSchema)
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    container.persistentStoreDescriptions.removeFirst()
    #expect(throws: Never.self) { try container.loadPersistentStores() }
  }

  @Test("a subclass chooses the folder of its files (B335)")
  func directory() throws {
    #expect(ElsewhereContainer.defaultDirectoryURL().path.hasPrefix("/elsewhere"))
    #expect(!PersistentContainer.defaultDirectoryURL().path.hasPrefix("/elsewhere"))
    let container: PersistentContainer = try ElsewhereContainer(
      name: "test", model: Stack.makeModel())
    #expect(type(of: container).defaultDirectoryURL().path.hasPrefix("/elsewhere"))
  }

  @Test("the view's context is of the main queue, others have their own; all ask the stores (B334)")
  @MainActor func contexts() throws {
    let container = try Self.container([.inMemory()])
    try container.loadPersistentStores()
    let view = container.viewContext
    #expect(view === container.viewContext)
    #expect(view.concurrencyType == .mainQueue)
    let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
    for context in [first, second] {
      #expect(context !== view && context.concurrencyType == .privateQueue)
    }
    #expect(first !== second)
    for context in [view, first, second] {
      #expect(context.parent == nil)
      #expect(context.persistentStoreCoordinator === container.persistentStoreCoordinator)
    }
    // The saves of one context are read by the others from the store, without a merge.
    Employee(context: first).name = "Ada"
    try first.save()
    #expect(try view.fetch(Employee.fetchRequest()).map(\.name) == ["Ada"])
    #expect(try second.fetch(Employee.fetchRequest()).map(\.name) == ["Ada"])
  }

  @Test("mistakes of the program throw wherever a call can throw (B338)")
  func mistakes() throws {
    let stack = try Stack()
    let ada = Employee(context: stack.context)
    #expect(code { _ = try ada.value(forKey: "nothing") } == .unknownKey)
    #expect(code { try ada.setValue(1, forKey: "nothing") } == .unknownKey)
    #expect(code { try ada.setValue("old", forKey: "age") } == .invalidValue)
    let homeless = ManagedObjectContext(.privateQueue)
    #expect(code { _ = try homeless.fetch(Employee.fetchRequest()) } == .contextWithoutCoordinator)
    let model = stack.container.managedObjectModel
    #expect(
      code { try model.setEntities([], forConfigurationName: "late") } == .modelInUse)
    #expect(!ada.isDeleted && stack.context.insertedObjects.count == 1)
  }
}
