// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
import RoostStore
import Synchronization

/// A model, its stores and its contexts, with Core Data's defaults: a SQLite file in ``defaultDirectoryURL()`` that is
/// named like the container (B331).
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
  /// The coordinator of all contexts.
  public final let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The context for the main queue (B334).
  public final let viewContext: NSManagedObjectContext
  private let descriptions: Mutex<[NSPersistentStoreDescription]>
  private let loaded = Mutex<Set<ObjectIdentifier>>([])
  /// Why there is no model; told when the stores are loaded.
  private let modelError: (any Error)?

  /// Makes a container with the model of a name, read from the resources of the program: `Library.xcdatamodeld` or
  /// `Library.xcdatamodel`.
  ///
  /// A model that is missing or broken is reported by ``loadPersistentStores(completionHandler:)``.
  public convenience init(name: String) {
    let found = Result { try ModelResources.model(named: name) }
    switch found {
    case .success(let model): self.init(name: name, managedObjectModel: model)
    case .failure(let error): self.init(name: name, model: nil, error: error)
    }
  }

  /// Makes a container with a model.
  ///
  /// A model that is not consistent is reported by ``loadPersistentStores(completionHandler:)``.
  ///
  /// - Parameters:
  ///   - name: The name, also of the SQLite file.
  ///   - model: The model, which is in use from now on (B1).
  public convenience init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.init(name: name, model: model, error: nil)
  }

  private init(name: String, model: NSManagedObjectModel?, error: (any Error)?) {
    self.name = name
    let (coordinator, problem) = Self.makeCoordinator(model)
    coordinator.name = name
    persistentStoreCoordinator = coordinator
    modelError = error ?? problem
    viewContext = ManagedObjectContext(.mainQueue, coordinator: coordinator)
    viewContext.name = "viewContext"
    let file = Self.defaultDirectoryURL().appending(path: "\(name).sqlite")
    descriptions = Mutex([NSPersistentStoreDescription(url: file)])
  }

  /// A coordinator for a model, or for an empty one with what is wrong with the other.
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

  /// Returns the folder in which containers keep their files unless told otherwise. Override it to choose another
  /// (B335).
  open class func defaultDirectoryURL() -> URL {
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    return folders.first ?? URL(filePath: FileManager.default.currentDirectoryPath)
  }

  /// The model.
  public final var managedObjectModel: NSManagedObjectModel {
    persistentStoreCoordinator.managedObjectModel
  }

  /// The stores that are loaded; change it before that.
  public final var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get { descriptions.withLock { $0 } }
    set { descriptions.withLock { $0 = newValue } }
  }

  /// Adds all stores that are not added yet, and reports on each (B332).
  ///
  /// - Parameter block: Called once for each description, with the error or nil; before this returns, or later where
  ///   the description asks for it (B333).
  public final func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let handler = UncheckedHandler(block)
    for description in persistentStoreDescriptions {
      guard !loaded.withLock({ $0.contains(ObjectIdentifier(description)) }) else { continue }
      guard description.shouldAddStoreAsynchronously, modelError == nil else {
        handler.block(description, load(description))
        continue
      }
      DispatchQueue.global().async { [self] in handler.block(description, load(description)) }
    }
  }

  private func load(_ description: NSPersistentStoreDescription) -> (any Error)? {
    if let modelError { return foundationError(modelError) }
    do {
      var store = try description.makeDescription()
      store.shouldAddStoreAsynchronously = false
      if let folder = store.url?.deletingLastPathComponent(), folder == Self.defaultDirectoryURL() {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try persistentStoreCoordinator.addPersistentStore(with: store)
      loaded.withLock { _ = $0.insert(ObjectIdentifier(description)) }
      return nil
    } catch {
      return foundationError(error)
    }
  }

  /// Makes a context with a queue of its own (B334).
  public final func newBackgroundContext() -> sending NSManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: persistentStoreCoordinator)
  }

  /// Runs work with a context of its own on that context's queue, and returns at once.
  public final func performBackgroundTask(
    _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
  ) {
    let context = UncheckedContext(newBackgroundContext())
    context.context.perform { block(context.context) }
  }
}

/// A handler that is called on one queue after the other, as the caller of Core Data's method expects.
private struct UncheckedHandler: @unchecked Sendable {
  // Sendable: Core Data's contract is the caller's to keep, the handler runs once for each description.
  let block: (NSPersistentStoreDescription, (any Error)?) -> Void

  init(_ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void) {
    self.block = block
  }
}

/// A context on its way to its own queue.
private struct UncheckedContext: @unchecked Sendable {
  // Sendable: the context was made for the block alone, and is used on its queue only.
  let context: NSManagedObjectContext

  init(_ context: NSManagedObjectContext) {
    self.context = context
  }
}
