// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
import Synchronization

/// A scratch pad of objects: it keeps track of their changes, and saves these to the stores or discards them.
///
/// A context and its objects are used by one queue or task at a time. Neither is `Sendable`: pass a whole context
/// with `sending`, and pass the IDs of objects. (In the product with Core Data's names a context is `Sendable`, as in
/// Core Data, and the program has to use it on its queue.)
///
/// ```swift
/// let ada = Person(context: context)
/// ada.name = "Ada"
/// try context.save()
/// ```
public final class ManagedObjectContext {
  /// The kind of the context's queue.
  public let concurrencyType: ConcurrencyType
  /// Settings that may be changed from any thread (B227).
  let settings = Mutex(ContextSettings())
  /// Frequently read settings that may be changed from any thread.
  package let switches = ContextSwitches()

  @exclusivity(unchecked) var objectTable = ObjectTable()
  let changes = ChangeTracker()
  /// Objects kept alive by ``retainsRegisteredObjects``.
  @exclusivity(unchecked) var retained: [ObjectIdentifier: ManagedObject] = [:]
  /// Whether the context follows Core Data's rules where Roost's differ: ``followCoreData()``.
  @exclusivity(unchecked) var followsCoreData = false
  /// The objects registered during the running block, kept alive until it ends; nil when that is not needed.
  @exclusivity(unchecked) var blockObjects: ContiguousArray<ManagedObject>?
  /// The results of fetched properties, by object and name, until the object is refreshed (B305).
  var fetchedValues: [ObjectIdentifier: [String: [Any]]] = [:]
  /// Relationship changes begun by hand-written setters.
  var openChanges: [OpenRelationshipChange] = []
  /// The undo manager and the context's subscription to it; nil by default (B107).
  var undoLink: UndoLink?
  /// The relationships of released objects, still to be released.
  @exclusivity(unchecked) private var releasing = ReleasedLinks()
  @exclusivity(unchecked) package var statistics = ContextCounters()
  let queue: ContextQueue
  /// Whether each use is checked: a use off the queue ends the program (B221), unless the first use is awaited.
  @exclusivity(unchecked) var checksQueue = ManagedObjectContext.watchesQueues
  /// Whether the context is still unused, and its queue may merge into it.
  var awaitsUser = false
  /// The context that this one reads from and saves into.
  @exclusivity(unchecked) var parentContext: ManagedObjectContext?
  /// Messages of other threads to this context.
  let inbox = ContextInbox()
  // The state of each part of the context.
  @exclusivity(unchecked) var loading = LoadingState()
  @exclusivity(unchecked) var eventState = EventState()
  @exclusivity(unchecked) var saving = SavingState()
  @exclusivity(unchecked) var upstreamState = UpstreamState()
  @exclusivity(unchecked) var merging = MergingState()
  @exclusivity(unchecked) var unthrown = UnthrownErrors()
  @exclusivity(unchecked) var classes = ClassLookup()

  /// Creates a context without a coordinator and without a parent: set one of them before the context is used.
  ///
  /// - Parameter concurrencyType: The kind of the context's queue.
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
  ///   - concurrencyType: The kind of the context's queue.
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
    // Related objects retain each other: without their context they release each other.
    for object in registry.abandonAll() { object.orphan.outliveContext() }
  }

  /// The kind of a context's queue.
  ///
  /// ```swift
  /// let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
  /// ```
  public enum ConcurrencyType: Int, Hashable, Sendable {
    /// No queue, for programs that name all of Core Data's types: a context of this type gets a queue of its own.
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
  /// The coordinator whose stores the context uses; a child context has that of its root. Set it, to a coordinator,
  /// before the context is used.
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

  /// Returns the coordinator, or throws the error of every request without one.
  func coordinator() throws -> PersistentStoreCoordinator {
    guard let persistentStoreCoordinator else {
      throw PersistenceError(
        .contextWithoutCoordinator, "The context has no persistent store coordinator.")
    }
    return persistentStoreCoordinator
  }

  /// The model of the coordinator.
  var model: ManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }

  /// Returns the entity of a class.
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

  /// Releases the relationships of a released object iteratively: releasing a chain of a million objects recursively
  /// would overflow the stack.
  ///
  /// A sole destination that is retained elsewhere, too, needs no such care.
  @inline(__always) func releaseLinks(of object: ManagedObject) {
    if object.hasOnlySharedDestination { return }
    queueLinks(of: object)
  }

  @inline(never) private func queueLinks(of object: ManagedObject) {
    // The list must hold the only references: the last owner to let go would release the chain recursively.
    releasing.links.append(object.links)
    object.links = LinkStates()
    releaseOneByOne()
  }

  /// Releases objects kept by a released object, like ``releaseLinks(of:)``.
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

  /// Retains all registered objects, or none, as `retainsRegisteredObjects` says.
  func updateRetention() {
    retained = [:]
    guard retainsRegisteredObjects else { return }
    for object in registry.all { retained[ObjectIdentifier(object)] = object }
  }
}
