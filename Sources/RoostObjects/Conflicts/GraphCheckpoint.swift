// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// How the objects of a context are before a merge policy touches them: a save that fails in the end changes nothing
/// (B171), however much was merged on the way.
///
/// - Complexity: O(registered objects and their known destinations); rows are shared where nothing was changed.
final class GraphCheckpoint {
  fileprivate struct Entry {
    let object: ManagedObject
    let identity: ObjectID
    /// The values: the object's own row copied, any other shared.
    let row: Row?
    let snapshot: Row?
    let isFault: Bool
    let links: ContiguousArray<SavedLink>
    let changedSlots: PropertyMask
    let changedLinks: PropertyMask
    let flags: ObjectFlags
    let trackingIndex: Int32
  }

  /// What is known of a relationship; the object behind one to many is changed in place.
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

  /// Takes note of everything.
  init(of context: ManagedObjectContext) {
    self.context = context
    changes = context.changes.state
    retained = context.retained
    assignments = context.saving.assignments
    watched = context.saving.watched
    var all = context.registry.all
    // Those that were deleted and have left are in the list of changes alone.
    all += context.changes.entries.lazy.compactMap { $0 }.filter { $0.context !== context }
    entries = all.map(Entry.init)
  }

  /// Puts everything back.
  func restore() {
    let known = Set(entries.lazy.map { ObjectIdentifier($0.object) })
    for object in context.registry.all where !known.contains(ObjectIdentifier(object)) {
      object.restoring.dropWhatWasDone(in: context)
    }
    // Objects may stand under each other's IDs: all leave the table before the first one comes back.
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
      // Nothing was saved: the temporary ID has become no other one.
      identity.forgetSuccessor()
      object.identity = identity
    }
    object.row = row
    object.snapshot = snapshot
    // The flags say whether the memory may be used without ceremony.
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
