// SPDX-License-Identifier: Apache-2.0

import Observation
import RoostModel

/// The objects of one context by ID: one object a record (B32).
///
/// A context that is used on its queue is shared: a program may let go of an object on any thread, as that of a closure
/// that was handed to `perform`, while the queue looks for the object's record (B45). Then each use takes a lock. A
/// context that one thread or task owns takes none.
struct ObjectRegistry {
  let context: ManagedObjectContext

  /// The object with an ID.
  @inline(__always) func object(for id: ObjectID) -> ManagedObject? {
    object(forKey: id.key, in: id.scope)
  }

  /// The object with the ID that a key is in a scope.
  @inline(__always) func object(forKey key: Int64, in scope: IDScope) -> ManagedObject? {
    exclusively { context.objectTable.object(forKey: key, in: scope) }
  }

  /// The object of a record in the store of another object.
  @inline(__always) func object(forKey key: Int64, besides other: ManagedObject) -> ManagedObject? {
    exclusively { context.objectTable.object(forKey: key, besides: other) }
  }

  /// Makes room for more objects at once.
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

  /// Runs a closure that reads or changes what objects take with them when they are released. It releases no object:
  /// that would need the lock once more.
  @inline(__always) func exclusively<Result>(_ body: () -> Result) -> Result {
    guard context.objectTable.isShared else { return body() }
    return RegistryLock.of(context).withLock(body)
  }
}

// MARK: - Sharing

extension ObjectRegistry {
  /// Lets objects be released on any thread from now on. Called by the context's only user, before its queue is.
  func share() {
    guard !context.objectTable.isShared else { return }
    context.objectTable.isShared = true
    context.objectTable.forEach { $0._withUnsafeGuaranteedRef { $0.isSharedAmongThreads = true } }
  }

  /// Lets all objects go, also those that are being released on other threads: the context goes away.
  ///
  /// - Returns: The objects that go on to live.
  func abandonAll() -> [ManagedObject] {
    guard context.objectTable.isShared else { return context.objectTable.all }
    return RegistryLock.of(context).withLock {
      let living = context.objectTable.all
      context.objectTable.forEach { $0._withUnsafeGuaranteedRef { $0.contextReference = nil } }
      return living
    }
  }

  /// Does what the `deinit` of an object does whose last reference may go on any thread.
  static func release(_ object: ManagedObject) {
    remove(released: object)
    guard object.knowsLinks, !object.hasOnlySharedDestination else { return }
    let kept = object.links
    object.links = LinkStates()
    ThreadReleases.release(kept)
  }

  /// Takes an object out that is being released on any thread, with all that the context keeps for it.
  ///
  /// The context may go away at the same time on another thread. It clears the object's reference under the lock, which
  /// is not the context's own for that reason.
  private static func remove(released object: ManagedObject) {
    guard let expected = object.contextReference else { return }
    // What goes with the object goes after the lock: other objects may be released with it, or the context.
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

  /// What a context keeps for an object that is released.
  private struct KeptForReleased {
    var context: ManagedObjectContext?
    var registrar: ObservationRegistrar?
    var fetched: [String: [Any]]?

    /// The objects among the results of fetched properties.
    mutating func takeFetchedObjects() -> LinkStates {
      guard let fetched else { return LinkStates() }
      self.fetched = nil
      var objects: [ManagedObject] = []
      for case let found as [ManagedObject] in fetched.values { objects += found }
      return LinkStates(to: objects)
    }
  }
}
