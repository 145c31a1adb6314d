// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostStore

/// A coordinator with its stores and a context.
///
/// ```swift
/// let stack = try stage.open(CompanyModel.make())
/// let person = try stack.insert("Person")
/// try stack.context.save()
/// try expectEqual(stack.version(of: person), 1)
/// ```
public final class ConformanceStack {
  /// The model in use.
  public private(set) var model: ManagedObjectModel
  /// The coordinator; another one after ``reopen(model:)``.
  public private(set) var coordinator: PersistentStoreCoordinator
  /// The context that cases use when one is enough; another one after ``reopen(model:)``.
  public private(set) var context: ManagedObjectContext
  /// The stores, in the order of adding.
  public let stores: [PersistentStoreDescription]
  private let stage: ConformanceStage
  private var isOpen = true

  init(
    model: ManagedObjectModel, stores: [PersistentStoreDescription], stage: ConformanceStage
  ) throws {
    self.model = model
    self.stores = stores
    self.stage = stage
    coordinator = try Self.connect(model, stores)
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  private static func connect(
    _ model: ManagedObjectModel, _ stores: [PersistentStoreDescription]
  ) throws -> PersistentStoreCoordinator {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    do {
      for store in stores { try coordinator.addPersistentStore(with: store) }
      // A store may pass without taking part in atomic saves; then they are made as far as that is possible.
      let canPrepare = coordinator.persistentStores.allSatisfy { $0.preparation != nil }
      if !canPrepare { coordinator.saveTraffic.policy = .atomicWherePossible }
    } catch {
      for store in coordinator.persistentStores { try coordinator.remove(store) }
      throw error
    }
    return coordinator
  }

  /// Whether all stores are still there.
  package var isWhole: Bool { isOpen && coordinator.persistentStores.count == stores.count }

  /// Another context on the same coordinator.
  public func makeContext() -> ManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  /// Closes the stores and opens them again, with a new coordinator and a new context.
  ///
  /// - Parameter model: The model to open them with; nil for the same one.
  /// - Throws: The errors of the coordinator.
  public func reopen(model newModel: ManagedObjectModel? = nil) throws {
    close()
    let next = newModel ?? model
    coordinator = try Self.connect(next, stores)
    model = next
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    isOpen = true
  }

  /// Ensures that all further reads come from the store: it reopens the store if possible, otherwise it makes a new
  /// context that does not use cached rows.
  public func readAnew() throws {
    if stage.isReopenable {
      try reopen()
    } else {
      context = makeContext()
      context.stalenessInterval = 0
    }
  }

  /// Returns the version of an object's record in the store.
  public func version(of object: ManagedObject) throws -> Int64 {
    try coordinator.existingRow(for: object.objectID).version
  }

  /// Returns a number of a person, read by a new context.
  package func storedNumber(_ key: String, ofPerson name: String) throws -> Int64? {
    let fresh = makeContext()
    fresh.stalenessInterval = 0
    return try withExtendedLifetime(fresh) { try fresh.named("Person", name).number(key) }
  }

  /// Removes the stores from the coordinator.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    context.reset()
    for store in coordinator.persistentStores {
      // A store that cannot be removed is reported by the code that drops it.
      try? coordinator.remove(store)
    }
  }
}
