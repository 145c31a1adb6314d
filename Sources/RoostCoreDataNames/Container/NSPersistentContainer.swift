// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
import RoostStore
import Synchronization

/// A model, its stores and its contexts, with Core Data's defaults: a SQLite file in ``defaultDirectoryURL()`` with
/// the name of the container.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
/// container.loadPersistentStores { description, error in
///   if let error { fatalError("\(error)") }
/// }
/// ```
open class NSPersistentContainer: @unchecked Sendable {
  // Sendable: the descriptions are behind a lock; the view context is for the main queue, as its type says.

  /// The name.
  public final let name: String
  private let parts: Parts
  /// The descriptions of stores that are added or being added. They are retained, because another one could reuse the
  /// address of a deallocated one and be taken for it.
  private let loaded = Mutex<[NSPersistentStoreDescription]>([])

  /// Makes a container with the model of the same name, read from the resources of the program:
  /// `Library.xcdatamodeld` or `Library.xcdatamodel`.
  ///
  /// A model that is missing or broken is reported by ``loadPersistentStores(completionHandler:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the container, the model and the file.
  ///   - fileID: The caller; the model's classes are looked up in its module.
  public convenience init(name: String, fileID: String = #fileID) {
    switch Result(catching: { try ModelResources.model(named: name) }) {
    case .success(let model): self.init(name: name, managedObjectModel: model, fileID: fileID)
    case .failure(let error):
      self.init(name: name, Parts(name, nil, error, in: Self.defaultDirectoryURL()))
    }
  }

  /// Makes a container with a model.
  ///
  /// A model that is not consistent is reported by ``loadPersistentStores(completionHandler:)``.
  ///
  /// - Parameters:
  ///   - name: The name, also of the SQLite file.
  ///   - model: The model, which is in use from now on.
  ///   - fileID: The caller; the model's classes are looked up in its module.
  public init(
    name: String, managedObjectModel model: NSManagedObjectModel, fileID: String = #fileID
  ) {
    ClassNames.find(in: model, from: fileID)
    self.name = name
    parts = Parts(name, model, nil, in: Self.defaultDirectoryURL())
    ClassNames.note(model)
  }

  /// Makes a container with a model: the initializer that subclasses override.
  @_disfavoredOverload
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    ClassNames.find(in: model, from: String(reflecting: Self.self))
    self.name = name
    parts = Parts(name, model, nil, in: Self.defaultDirectoryURL())
    ClassNames.note(model)
  }

  private init(name: String, _ parts: Parts) {
    self.name = name
    self.parts = parts
  }

  /// The coordinator of all contexts.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { parts.coordinator }

  /// The context for the main queue.
  open var viewContext: NSManagedObjectContext { parts.viewContext }

  /// Returns the default folder for the containers' files. Override it to choose another one.
  open class func defaultDirectoryURL() -> URL {
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    return folders.first ?? URL(filePath: FileManager.default.currentDirectoryPath)
  }

  /// The model.
  open var managedObjectModel: NSManagedObjectModel {
    persistentStoreCoordinator.managedObjectModel
  }

  /// The descriptions of the stores to load; change them before loading.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get { parts.descriptions.withLock { $0 } }
    set { parts.descriptions.withLock { $0 = newValue } }
  }

  /// Adds all stores that are not added yet, and reports on each.
  ///
  /// - Parameter block: Called once for each description, with the error or nil: before this returns, or later if the
  ///   description asks for it.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let handler = UncheckedHandler(block)
    for description in persistentStoreDescriptions {
      guard take(description) else { continue }
      guard description.shouldAddStoreAsynchronously, parts.modelError == nil else {
        handler.block(description, load(description))
        continue
      }
      DispatchQueue.global().async { [self] in handler.block(description, load(description)) }
    }
  }

  /// Marks a description as loaded, so that no other call loads it, too; returns false if it was marked before.
  private func take(_ description: NSPersistentStoreDescription) -> Bool {
    loaded.withLock { loaded in
      guard !loaded.contains(where: { $0 === description }) else { return false }
      loaded.append(description)
      return true
    }
  }

  private func load(_ description: NSPersistentStoreDescription) -> (any Error)? {
    do {
      if let modelError = parts.modelError { throw modelError }
      var store = try description.makeDescription()
      store.shouldAddStoreAsynchronously = false
      if let folder = store.url?.deletingLastPathComponent(), folder == Self.defaultDirectoryURL() {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      let added = try store.add(to: persistentStoreCoordinator)
      _ = NSPersistentStore.of(added, in: persistentStoreCoordinator).keep(description.options)
      return nil
    } catch {
      loaded.withLock { $0.removeAll { $0 === description } }
      return foundationError(error)
    }
  }

  /// Makes a context with a queue of its own.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = ManagedObjectContext(.privateQueue, coordinator: persistentStoreCoordinator)
    context.followCoreData()
    return context
  }

  /// Runs work with a new context on its queue, asynchronously.
  open func performBackgroundTask(
    _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
  ) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }
}

extension NSPersistentContainer {
  /// Runs work with a new context on its queue, without blocking a thread.
  nonisolated(nonsending)
    public final func performBackgroundTask<T, Failure: Error>(
      _ block: @escaping (NSManagedObjectContext) throws(Failure) -> T
    ) async throws(Failure) -> T
  {
    let context = newBackgroundContext()
    return try await context.perform(schedule: .immediate) { () throws(Failure) in
      try block(context)
    }
  }
}

/// The parts of a container.
private final class Parts: Sendable {
  let coordinator: PersistentStoreCoordinator
  // Unsafe: it is for the main queue, as its type says; the program keeps to that, as with Core Data.
  nonisolated(unsafe) let viewContext: NSManagedObjectContext
  let descriptions: Mutex<[NSPersistentStoreDescription]>
  /// The error of a model that could not be used; reported when the stores are loaded.
  let modelError: (any Error)?

  init(
    _ name: String, _ model: NSManagedObjectModel?, _ error: (any Error)?, in folder: URL
  ) {
    let problem: (any Error)?
    (coordinator, problem) = Self.makeCoordinator(model)
    coordinator.name = name
    coordinator.post(NSPersistentStore.make)
    modelError = error ?? problem
    // The context is for the main queue, as its type says.
    viewContext = ManagedObjectContext(.mainQueue, coordinator: coordinator)
    viewContext.name = "viewContext"
    viewContext.followCoreData()
    let file = folder.appending(path: "\(name).sqlite")
    descriptions = Mutex([NSPersistentStoreDescription(url: file)])
  }

  /// Makes a coordinator for a model, or, if that fails, one for an empty model, with the error.
  private static func makeCoordinator(
    _ model: NSManagedObjectModel?
  ) -> (PersistentStoreCoordinator, (any Error)?) {
    do {
      return (try PersistentStoreCoordinator(usable: model ?? ManagedObjectModel()), nil)
    } catch {
      guard let empty = try? PersistentStoreCoordinator(usable: ManagedObjectModel()) else {
        preconditionFailure("An empty model is consistent.")
      }
      return (empty, error)
    }
  }
}

/// A handler that is called on one queue after the other, as callers of Core Data's method expect.
private struct UncheckedHandler: @unchecked Sendable {
  // Sendable: Core Data's contract is the caller's to keep, the handler runs once for each description.
  let block: (NSPersistentStoreDescription, (any Error)?) -> Void

  init(_ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void) {
    self.block = block
  }
}
