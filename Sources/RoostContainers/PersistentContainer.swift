// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostStore
import Synchronization

/// The model of a program, the stores that hold its data, and the contexts that work with them.
///
/// ```swift
/// let container = try PersistentContainer(
///   name: "HR", model: ManagedObjectModel(Person.self, Department.self),
///   stores: [.sqlite(at: URL(filePath: "hr.sqlite"))])
/// try container.loadPersistentStores()
/// ```
nonisolated open class PersistentContainer: @unchecked Sendable {
  // Sendable: the descriptions are behind a lock, the view context belongs to the main actor, the rest is constant.

  /// The name of the container.
  public final let name: String
  /// The coordinator of all contexts.
  public final let persistentStoreCoordinator: PersistentStoreCoordinator
  private let descriptions: Mutex<[PersistentStoreDescription]>
  /// The number of stores added of each kind: a description has no identity of its own.
  private let loaded = Mutex<[StoreKind: Int]>([:])

  /// The contexts in which live values are kept up to date.
  package final let liveContexts = LiveContexts()

  private struct StoreKind: Hashable {
    var type: String
    var url: URL?
    var configuration: String?

    init(_ description: PersistentStoreDescription) {
      type = description.type.rawValue
      url = description.url
      configuration = description.configuration
    }
  }

  /// The context for the user interface, on the main actor.
  @MainActor public private(set) lazy var viewContext = ManagedObjectContext(
    .mainQueue, coordinator: persistentStoreCoordinator)

  /// Makes a container; its stores are added by ``loadPersistentStores()``.
  ///
  /// > Core Data: There is no default store: name the backend, and only its library is needed.
  /// - Parameters:
  ///   - name: A name.
  ///   - model: The model, which is frozen now.
  ///   - stores: The stores.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, which holds all faults of the model.
  public init(
    name: String, model: ManagedObjectModel, stores: [PersistentStoreDescription] = []
  ) throws {
    self.name = name
    persistentStoreCoordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    ModelPrinting.printIfAsked(model)
    ClassEntities.note(model)
    persistentStoreCoordinator.name = name
    descriptions = Mutex(stores)
  }

  /// Returns the default folder for a container's files: the application support folder of the user. Override it to
  /// choose another one.
  open class func defaultDirectoryURL() -> URL {
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    return folder.first ?? URL(filePath: FileManager.default.currentDirectoryPath)
  }
}

extension PersistentContainer {
  /// The model of the coordinator.
  public final var managedObjectModel: ManagedObjectModel {
    persistentStoreCoordinator.managedObjectModel
  }

  /// The stores that ``loadPersistentStores()`` adds. Change it before that.
  public final var persistentStoreDescriptions: [PersistentStoreDescription] {
    get { descriptions.withLock { $0 } }
    set { descriptions.withLock { $0 = newValue } }
  }

  /// Adds all stores that are not added yet.
  ///
  /// - Throws: ``PersistenceError`` of the first store that could not be added; the others are added regardless.
  public final func loadPersistentStores() throws {
    var first: PersistenceError?
    for description in unloaded() {
      do {
        try persistentStoreCoordinator.addPersistentStore(with: description)
        markLoaded(description)
      } catch {
        // A third-party driver may throw anything; the other stores are added regardless.
        first =
          first ?? error as? PersistenceError
          ?? PersistenceError(
            .persistentStoreOpen, "The store could not be added: \(error)", underlying: error)
      }
    }
    if let first { throw first }
  }

  /// Adds all stores that are not added yet, and calls a closure for each of them.
  ///
  /// - Parameter block: Called once for each description: on the caller's thread before this returns, or later if the
  ///   description asks to be added asynchronously.
  public final func loadPersistentStores(
    completionHandler block:
      @escaping @Sendable (PersistentStoreDescription, PersistenceError?) -> Void
  ) {
    for description in unloaded() {
      persistentStoreCoordinator.addPersistentStore(with: description) { [self] added, error in
        if error == nil { markLoaded(description) }
        block(added, error)
      }
    }
  }

  /// Makes a context for work off the main actor; it can be handed to a task as a whole.
  public final func newBackgroundContext() -> sending ManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: persistentStoreCoordinator)
  }

  /// Runs work on a context of its own, on the context's queue: the caller's thread is not blocked, nor is any thread
  /// of Swift's cooperative pool.
  ///
  /// ```swift
  /// try await container.performBackgroundTask { context in
  ///   try context.fetch(Person.fetchRequest()).forEach(context.delete)
  ///   try context.save()
  /// }
  /// ```
  /// - Parameter block: The work. Its result must not be an object of the context.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public final func performBackgroundTask<T, Failure: Error>(
    _ block: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> sending T
  ) async throws(Failure) -> sending T {
    // The context and the result belong to this call alone: no other work is on its queue.
    nonisolated(unsafe) let context = newBackgroundContext()
    nonisolated(unsafe) let result = try await context.perform(schedule: .enqueued) {
      () throws(Failure) -> T in try block(context)
    }
    return result
  }

  /// Runs asynchronous work on a context of its own. The work runs on the context's queue except while it is
  /// suspended.
  ///
  /// ```swift
  /// try await container.performBackgroundTask { context in
  ///   for name in try await download() { Person(context: context).name = name }
  ///   try context.save()
  /// }
  /// ```
  /// - Parameter block: The work. Its result must not be an object of the context.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @_disfavoredOverload
  public final func performBackgroundTask<T>(
    _ block: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async rethrows -> sending T {
    try await ContextActor(coordinator: persistentStoreCoordinator).perform(block)
  }

  private func unloaded() -> [PersistentStoreDescription] {
    var done = loaded.withLock { $0 }
    return persistentStoreDescriptions.filter { description in
      let kind = StoreKind(description)
      guard let count = done[kind], count > 0 else { return true }
      done[kind] = count - 1
      return false
    }
  }

  private func markLoaded(_ description: PersistentStoreDescription) {
    loaded.withLock { $0[StoreKind(description), default: 0] += 1 }
  }
}
