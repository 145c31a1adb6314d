// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel

/// A scratch pad of objects: it knows which it registered, what was changed, and how to save or forget that.
///
/// A context and its objects belong together and to one queue or task. Neither is `Sendable`: hand over a whole context
/// with `sending`, or objects by their IDs.
///
/// ```swift
/// let ada = Person(context: context)
/// ada.name = "Ada"
/// try context.save()
/// ```
public final class ManagedObjectContext {
  /// How the context's work is queued.
  public let concurrencyType: ConcurrencyType
  /// The coordinator that the context asks and saves to (B334).
  public let persistentStoreCoordinator: PersistentStoreCoordinator?

  /// A name for logs and the history.
  public var name: String?
  /// What the program keeps with the context.
  public var userInfo: [String: any Sendable] = [:]
  /// Who changes: written to the history with each save (B290).
  public var transactionAuthor: String?
  /// Whether the context keeps its clean objects alive, too (B45).
  public var retainsRegisteredObjects = false {
    didSet { updateRetention() }
  }
  /// How old a cached row may be when a fault is fulfilled with it, in seconds: negative for any age, 0 to ask the
  /// store each time (B50).
  public var stalenessInterval: TimeInterval = -1
  /// Whether delete rules are applied at the end of an event, as by ``processPendingChanges()``; otherwise they wait
  /// for the save (B84).
  public var propagatesDeletesAtEndOfEvent = true
  /// Whether a fault whose record is gone becomes a deleted object whose properties are nil (B43). Otherwise the next
  /// save throws `objectReferentialIntegrity`.
  public var shouldDeleteInaccessibleFaults = true
  /// Decides for each fault whose record is gone, in the place of ``shouldDeleteInaccessibleFaults``, and is the place
  /// to log it: in Core Data a method that subclasses override (B43).
  ///
  /// ```swift
  /// context.shouldHandleInaccessibleFault = { object, id in log.warning("\(id) is gone"); return true }
  /// ```
  public var shouldHandleInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)?
  /// Whether faults that fire by themselves are fulfilled for all objects that were fetched together.
  public var batchesFaults = true
  /// Whether reading a property or a relationship may ask a store. When false, such an access reads as nil and the next
  /// save throws `forbiddenByPolicy`: prefetch what you need.
  public var allowsImplicitRoundTrips = true
  /// Whether a request may be evaluated in memory where its store cannot do it all; otherwise it throws
  /// `forbiddenByPolicy`.
  public var allowsInMemoryEvaluation = true

  var registry = ObjectRegistry()
  let changes = ChangeTracker()
  /// Objects kept alive by ``retainsRegisteredObjects``.
  var retained: [ObjectIdentifier: ManagedObject] = [:]
  /// The stores that objects were assigned to, until they are saved (B230).
  var assignments: [ObjectIdentifier: StoreIdentity] = [:]
  /// What went wrong where nothing could be thrown, as in a property's setter; the next save throws it.
  var deferredErrors: [PersistenceError] = []
  /// What Observation keeps of the objects; nil while they are not observed.
  var observation: ObservationTable?
  /// Changes of relationships that setters written by hand have begun.
  var openChanges: [OpenRelationshipChange] = []
  /// The commits that the coordinator had seen when it was last asked.
  var commitCountOfFetch = -1
  /// The store that was asked for last.
  var lastStore: AttachedStore?
  /// Who waits for messages; nil as long as nobody ever did.
  var messageHub: MessageHub?
  /// The event that observers hear of at this moment (B57).
  var postedEvent: EventLog?
  /// The events that are over and not told yet: an observer of one may end the next.
  var untold: [UntoldEvent] = []
  var isTelling = false
  /// The undo manager and the context's tie to it; nil by default (B107).
  var undoLink: UndoLink?
  /// What the next object that the materializer makes is to be.
  var awaited: AwaitedObject?
  /// Relationships of objects that went away, still to be released.
  private var releasing: [ContiguousArray<LinkState>] = []
  private var isReleasing = false
  var statistics = ContextCounters()
  let queue: ContextQueue
  /// Whether use outside of the queue ends the program (B221).
  let checksQueue = ManagedObjectContext.detectsQueueViolations
  private(set) var observer: StoreObserver?

  /// Creates a context that asks and saves to a coordinator.
  ///
  /// - Parameters:
  ///   - concurrencyType: How the context's work is queued.
  ///   - coordinator: The coordinator.
  public init(
    _ concurrencyType: ConcurrencyType = .privateQueue,
    coordinator: PersistentStoreCoordinator?
  ) {
    self.concurrencyType = concurrencyType
    persistentStoreCoordinator = coordinator
    queue = ContextQueue(concurrencyType)
    if let coordinator {
      let observer = StoreObserver()
      coordinator.addObserver(observer)
      self.observer = observer
    }
  }

  deinit {
    // Related objects hold each other: without their context they let go.
    for object in registry.all { object.leaveContext() }
    registry.deallocate()
  }

  /// How a context's work is queued.
  public struct ConcurrencyType: Hashable, Sendable {
    let isMainQueue: Bool
    /// A queue of the context's own.
    public static let privateQueue = ConcurrencyType(isMainQueue: false)
    /// The main queue.
    public static let mainQueue = ConcurrencyType(isMainQueue: true)
  }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
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
    guard let entity = model?.entity(forClass: ObjectIdentifier(objectClass)) else {
      preconditionFailure(
        "The model of the context has no entity, or several, for the class \(objectClass).")
    }
    return entity
  }

  /// Remembers an error that the caller could not be told; the next save throws it.
  func deferError(_ error: PersistenceError) {
    deferredErrors.append(error)
  }

  /// Releases what an object that goes away was related to, one after the other: a chain of a million objects must not
  /// go as deep into the stack.
  func release(_ links: ContiguousArray<LinkState>) {
    releasing.append(links)
    guard !isReleasing else { return }
    isReleasing = true
    while releasing.popLast() != nil {}
    isReleasing = false
  }

  private func updateRetention() {
    retained = [:]
    guard retainsRegisteredObjects else { return }
    for object in registry.all { retained[ObjectIdentifier(object)] = object }
  }
}
