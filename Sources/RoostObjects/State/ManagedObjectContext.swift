// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
import Synchronization

/// A scratch pad of objects: it keeps track of their changes, and saves these to the stores or discards them.
///
/// A context and its objects are used by one queue or task at a time. Neither is `Sendable`: pass a whole context with
/// `sending`, and pass the IDs of objects. (In the product of Core Data's names a context is `Sendable`, as in Core
/// Data, and the program has to use it on its queue.)
///
/// ```swift
/// let ada = Person(context: context)
/// ada.name = "Ada"
/// try context.save()
/// ```
public final class ManagedObjectContext {
  /// How the context's work is queued.
  public let concurrencyType: ConcurrencyType
  /// What may be set from any thread (B227).
  let settings = Mutex(ContextSettings())
  /// What may be set from any thread and is looked at all the time.
  package let switches = ContextSwitches()

  @exclusivity(unchecked) var objectTable = ObjectTable()
  let changes = ChangeTracker()
  /// Objects kept alive by ``retainsRegisteredObjects``.
  @exclusivity(unchecked) var retained: [ObjectIdentifier: ManagedObject] = [:]
  /// Whether the context follows Core Data's rules where Roost has others: ``followCoreData()``.
  @exclusivity(unchecked) var followsCoreData = false
  /// The objects that the block that is running came across; nil when they need not be kept.
  @exclusivity(unchecked) var blockObjects: ContiguousArray<ManagedObject>?
  /// The results of fetched properties, by object and name, until the object is refreshed (B305).
  var fetchedValues: [ObjectIdentifier: [String: [Any]]] = [:]
  /// Changes of relationships that setters written by hand have begun.
  var openChanges: [OpenRelationshipChange] = []
  /// The undo manager and the context's tie to it; nil by default (B107).
  var undoLink: UndoLink?
  /// Relationships of objects that went away, still to be released.
  @exclusivity(unchecked) private var releasing = ReleasedLinks()
  @exclusivity(unchecked) package var statistics = ContextCounters()
  let queue: ContextQueue
  /// Whether use is looked at: outside of the queue it ends the program (B221), unless the first one is awaited.
  @exclusivity(unchecked) var checksQueue = ManagedObjectContext.watchesQueues
  /// Whether the first use is awaited.
  var awaitsUser = false
  /// The context that this one reads from and saves into.
  @exclusivity(unchecked) var parentContext: ManagedObjectContext?
  /// What others tell this context.
  let inbox = ContextInbox()
  // What each part of the context keeps.
  @exclusivity(unchecked) var loading = LoadingState()
  @exclusivity(unchecked) var eventState = EventState()
  @exclusivity(unchecked) var saving = SavingState()
  @exclusivity(unchecked) var upstreamState = UpstreamState()
  @exclusivity(unchecked) var merging = MergingState()
  @exclusivity(unchecked) var unthrown = UnthrownErrors()
  @exclusivity(unchecked) var classes = ClassLookup()

  /// Creates a context without a coordinator and without a parent: set one of them before the context is used.
  ///
  /// - Parameter concurrencyType: How the context's work is queued.
  public init(_ concurrencyType: ConcurrencyType) {
    self.concurrencyType = concurrencyType
    queue = ContextQueue(concurrencyType)
    queue.context = self
    guard concurrencyType.isMainQueue else { return }
    registry.share()
    changes.eventEnding = EventEnding(self)
  }

  /// Creates a context that fetches from the stores of a coordinator, and saves to them.
  ///
  /// - Parameters:
  ///   - concurrencyType: How the context's work is queued.
  ///   - coordinator: The coordinator.
  public convenience init(
    _ concurrencyType: ConcurrencyType = .privateQueue,
    coordinator: PersistentStoreCoordinator?
  ) {
    self.init(concurrencyType)
    if let coordinator { setCoordinator(coordinator) }
  }

  deinit {
    queue.context = nil
    // Related objects hold each other: without their context they let go.
    for object in registry.abandonAll() { object.orphan.outliveContext() }
  }

  /// How a context's work is queued.
  ///
  /// ```swift
  /// let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
  /// ```
  public enum ConcurrencyType: Int, Hashable, Sendable {
    /// No queue, for programs that name all of Core Data's types: a context with it is one with a queue of its own.
    case confinementConcurrencyType = 0
    /// A queue of the context's own, by Core Data's name.
    case privateQueueConcurrencyType = 1
    /// The main queue, by Core Data's name.
    case mainQueueConcurrencyType = 2

    /// A queue of the context's own.
    public static let privateQueue = privateQueueConcurrencyType
    /// The main queue.
    public static let mainQueue = mainQueueConcurrencyType

    var isMainQueue: Bool { self == .mainQueueConcurrencyType }
  }
}

extension ManagedObjectContext {
  /// The coordinator whose stores the context uses; a child has that of its root. Set it before the context
  /// is used, and to a coordinator.
  public var persistentStoreCoordinator: PersistentStoreCoordinator? {
    get { upstreamState.rootCoordinator ?? parentContext?.persistentStoreCoordinator }
    set {
      precondition(
        parentContext == nil && registry.count == 0 && changes.isEmpty,
        "The coordinator of a context is set before it is used, and a child has that of its root.")
      guard let newValue else {
        preconditionFailure("A context cannot be without a coordinator again.")
      }
      setCoordinator(newValue)
    }
  }

  private func setCoordinator(_ coordinator: PersistentStoreCoordinator) {
    upstreamState.rootCoordinator = coordinator
    let observer = StoreObserver()
    coordinator.addObserver(observer, ofCommits: false)
    self.upstreamState.observer = observer
    if parentContext == nil, inbox.hears { coordinator.addObserver(inbox) }
  }

  /// Makes the context a child of another one, or of none.
  func setParent(_ parent: ManagedObjectContext?) {
    upstreamState.rootCoordinator = nil
    upstreamState.observer = nil
    parentContext = parent
    guard let parent else { return }
    // The parent may be in use on its queue.
    parent.onQueue {
      if parent.upstreamState.references == nil {
        parent.upstreamState.references = ReferenceTable()
      }
      upstreamState.references = parent.upstreamState.references
      parent.inbox.add(inbox)
      if let coordinator = parent.persistentStoreCoordinator { setCoordinator(coordinator) }
    }
  }

  /// The coordinator, or the error that every request throws without one.
  func coordinator() throws -> PersistentStoreCoordinator {
    guard let persistentStoreCoordinator else {
      throw PersistenceError(
        .contextWithoutCoordinator, "The context has no persistent store coordinator.")
    }
    return persistentStoreCoordinator
  }

  /// The model of the coordinator.
  var model: ManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }

  /// The entity that a class stands for.
  func entity(for objectClass: ManagedObject.Type) -> EntityDescription {
    checkQueue()
    if objectClass == classes.lastClass, let lastEntity = classes.lastEntity { return lastEntity }
    guard let entity = model?.entity(forClass: ObjectIdentifier(objectClass)) else {
      preconditionFailure(
        "The model of the context has no entity, or several, for the class \(objectClass).")
    }
    classes.lastClass = objectClass
    classes.lastEntity = entity
    return entity
  }

  /// Releases what an object that goes away was related to, one after the other: a chain of a million objects must not
  /// go as deep into the stack.
  ///
  /// A single destination that others hold, too, goes nowhere.
  @inline(__always) func releaseLinks(of object: ManagedObject) {
    if object.hasOnlySharedDestination { return }
    queueLinks(of: object)
  }

  @inline(never) private func queueLinks(of object: ManagedObject) {
    // Only the list may hold them: the last owner that lets go releases the chain recursively.
    releasing.links.append(object.links)
    object.links = LinkStates()
    releaseOneByOne()
  }

  /// Releases objects that one that goes away has kept, like ``releaseLinks(of:)``.
  func release(_ kept: consuming LinkStates) {
    releasing.links.append(kept)
    releaseOneByOne()
  }

  private func releaseOneByOne() {
    guard !releasing.isReleasing else { return }
    releasing.isReleasing = true
    while releasing.links.popLast() != nil {}
    releasing.isReleasing = false
  }

  /// Keeps all registered objects, or none.
  func updateRetention() {
    retained = [:]
    guard retainsRegisteredObjects else { return }
    for object in registry.all { retained[ObjectIdentifier(object)] = object }
  }
}
