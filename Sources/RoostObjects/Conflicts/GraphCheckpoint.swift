// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A checkpoint of a context's objects before a merge policy changes them: a save that fails restores it, and so
/// changes nothing (B171), whatever was merged in its attempts.
///
/// - Complexity: O(registered objects and their known destinations); rows are shared unless they were changed.
final class GraphCheckpoint {
  fileprivate struct Entry {
    let object: ManagedObject
    let identity: ObjectID
    /// The values: a copy of the object's own row, a shared reference to any other.
    let row: Row?
    let snapshot: Row?
    let isFault: Bool
    let links: ContiguousArray<SavedLink>
    let changedSlots: PropertyMask
    let changedLinks: PropertyMask
    let flags: ObjectFlags
    let trackingIndex: Int32
  }

  /// The saved state of a relationship; a to-many relationship is copied, as it is changed in place.
  fileprivate enum SavedLink {
    case state(LinkState)
    case members(of: ToManyLinks, as: ToManyLinks)
  }

  private let context: ManagedObjectContext
  private let entries: [Entry]
  private let changes: ChangeTracker.State
  private let retained: [ObjectIdentifier: ManagedObject]
  private let assignments: [ObjectIdentifier: StoreIdentity]
  private let watched: [ObjectIdentifier: WatchedObject]

  /// Saves the state of all objects.
  init(of context: ManagedObjectContext) {
    self.context = context
    changes = context.changes.state
    retained = context.retained
    assignments = context.saving.assignments
    watched = context.saving.watched
    var all = context.registry.all
    // Deleted objects that have left the context are in the list of changes only.
    all += context.changes.entries.lazy.compactMap { $0 }.filter { $0.context !== context }
    entries = all.map(Entry.init)
  }

  /// Restores the saved state.
  func restore() {
    let known = Set(entries.lazy.map { ObjectIdentifier($0.object) })
    for object in context.registry.all where !known.contains(ObjectIdentifier(object)) {
      object.restoring.dropWhatWasDone(in: context)
    }
    // Objects may have exchanged IDs: all leave the table before the first one is inserted again.
    for entry in entries where entry.object.context === context {
      context.registry.remove(entry.object)
    }
    for entry in entries {
      entry.restore(in: context)
      context.registry.insert(entry.object)
    }
    context.changes.restore(changes)
    context.retained = retained
    context.saving.assignments = assignments
    context.saving.watched = watched
    for entry in entries { entry.object.observers.tellReplacement() }
  }
}

extension GraphCheckpoint.Entry {
  init(_ object: ManagedObject) {
    self.object = object
    identity = object.identity
    let isShared = object.row.map { object.snapshot?.isIdentical(to: $0) ?? false } ?? true
    row = isShared ? object.row : object.row?.copy()
    snapshot = object.snapshot
    isFault = object.memory == nil
    links = ContiguousArray(
      object.links.lazy.map { state in
        if case .toMany(let known) = state { return .members(of: known, as: known.copy()) }
        return .state(state)
      })
    changedSlots = object.changedSlots
    changedLinks = object.changedLinks
    flags = object.flags
    trackingIndex = object.trackingIndex
  }

  func restore(in context: ManagedObjectContext) {
    object.context = context
    if object.identity != identity {
      // Nothing was saved, so the temporary ID was not replaced by a permanent one.
      identity.forgetSuccessor()
      object.identity = identity
    }
    object.row = row
    object.snapshot = snapshot
    // The flags determine whether the accessors may use the memory directly.
    object.flags = flags
    object.memory = isFault ? nil : row?.base
    object.settled.removeAll()
    var states = links.isEmpty ? LinkStates() : LinkStates(count: links.count)
    for (ordinal, link) in links.enumerated() {
      switch link {
      case .state(let state): states[ordinal] = state
      case .members(let known, let saved):
        known.become(saved)
        states[ordinal] = .toMany(known)
      }
    }
    object.links = states
    object.changedSlots = changedSlots
    object.changedLinks = changedLinks
    object.trackingIndex = trackingIndex
  }
}
