// SPDX-License-Identifier: Apache-2.0

import Observation
import RoostModel

/// The objects of one context by ID: one object for each record (B32).
///
/// The registry of a context that is used on its queue is shared: a program may release an object on any thread, such
/// as one captured by a closure passed to `perform`, while the queue looks up the object's record (B45). Then each
/// use takes a lock. A context owned by one thread or task takes none.
struct ObjectRegistry {
  let context: ManagedObjectContext

  /// The object with an ID.
  @inline(__always) func object(for id: ObjectID) -> ManagedObject? {
    object(forKey: id.key, in: id.scope)
  }

  /// Returns the object whose ID has a key in a scope.
  @inline(__always) func object(forKey key: Int64, in scope: IDScope) -> ManagedObject? {
    exclusively { context.objectTable.object(forKey: key, in: scope) }
  }

  /// Returns the object of a record in the same store as another object.
  @inline(__always) func object(forKey key: Int64, besides other: ManagedObject) -> ManagedObject? {
    exclusively { context.objectTable.object(forKey: key, besides: other) }
  }

  /// Reserves room for further objects.
  func reserve(_ more: Int) {
    exclusively { context.objectTable.reserve(more) }
  }

  /// Adds an object whose ID is not in the table.
  @inline(__always) func insert(_ object: ManagedObject) {
    exclusively { context.objectTable.insert(object) }
  }

  /// Removes an object, by identity.
  func remove(_ object: ManagedObject) {
    exclusively { context.objectTable.remove(object) }
  }

  /// The number of objects.
  var count: Int { exclusively { context.objectTable.count } }

  /// All objects, in no order.
  var all: [ManagedObject] { exclusively { context.objectTable.all } }

  /// Runs a closure that accesses state removed with released objects. The closure must not release an object, which
  /// would need the lock again.
  @inline(__always) func exclusively<Result>(_ body: () -> Result) -> Result {
    guard context.objectTable.isShared else { return body() }
    return RegistryLock.of(context).withLock(body)
  }
}

// MARK: - Sharing

extension ObjectRegistry {
  /// Allows objects to be released on any thread from now on. Called by the only user of the context, before its
  /// queue is used.
  func share() {
    guard !context.objectTable.isShared else { return }
    context.objectTable.isShared = true
    context.objectTable.forEach { $0._withUnsafeGuaranteedRef { $0.isSharedAmongThreads = true } }
  }

  /// Detaches all objects, including those being released on other threads: the context goes away.
  ///
  /// - Returns: The objects that outlive the context.
  func abandonAll() -> [ManagedObject] {
    guard context.objectTable.isShared else { return context.objectTable.all }
    return RegistryLock.of(context).withLock {
      let living = context.objectTable.all
      context.objectTable.forEach { $0._withUnsafeGuaranteedRef { $0.contextReference = nil } }
      return living
    }
  }

  /// The part of `deinit` for an object whose last reference may be released on any thread.
  static func release(_ object: ManagedObject) {
    remove(released: object)
    guard object.knowsLinks, !object.hasOnlySharedDestination else { return }
    let kept = object.links
    object.links = LinkStates()
    ThreadReleases.release(kept)
  }

  /// Removes an object that is being released on any thread, with all that the context keeps for it.
  ///
  /// The context may go away at the same time on another thread. It clears the object's reference under the lock,
  /// which is shared by contexts for that reason.
  private static func remove(released object: ManagedObject) {
    guard let expected = object.contextReference else { return }
    // Released after the lock: the release may release other objects, or the context.
    var kept = KeptForReleased()
    RegistryLock.of(expected).withLock {
      guard let reference = object.contextReference else { return }
      kept.context = reference.takeUnlessReleased()
      reference._withUnsafeGuaranteedRef { context in
        context.objectTable.remove(object)
        if object.flags.contains(.observed) {
          kept.registrar = context.eventState.observation?.remove(object)
        }
        if object.flags.contains(.hasFetchedValues) {
          kept.fetched = context.fetchedValues.removeValue(forKey: ObjectIdentifier(object))
        }
      }
    }
    ThreadReleases.release(kept.takeFetchedObjects())
  }

  /// References that a context keeps for an object being released.
  private struct KeptForReleased {
    var context: ManagedObjectContext?
    var registrar: ObservationRegistrar?
    var fetched: [String: [Any]]?

    /// Takes the objects out of the results of fetched properties.
    mutating func takeFetchedObjects() -> LinkStates {
      guard let fetched else { return LinkStates() }
      self.fetched = nil
      var objects: [ManagedObject] = []
      for case let found as [ManagedObject] in fetched.values { objects += found }
      return LinkStates(to: objects)
    }
  }
}
