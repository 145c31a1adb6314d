// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Lets the next save compare the record of an object that is not changed, as if it were: when somebody else wrote it
  /// meanwhile, that is a conflict. The save counts the record's version up and changes no value. The save
  /// of a child hands the object on to its parent, whose save compares it.
  ///
  /// ```swift
  /// context.detectConflicts(for: account)   // what was read of it decides what is written elsewhere
  /// try context.save()
  /// ```
  /// - Parameter object: A saved object of this context; another one is ignored.
  /// - Complexity: At most one query, for a fault.
  public func detectConflicts(for object: ManagedObject) {
    guard object.context === self, !object.flags.contains(.inserted) else { return }
    if object.isFault { _ = object.fire() }
    guard object.snapshot != nil else { return }
    watched[ObjectIdentifier(object)] = WatchedObject(object: object)
  }

  /// Takes over the versions of what was only compared.
  func finishWatching(_ summary: CommitSummary) {
    guard !watched.isEmpty else { return }
    for (id, watch) in watched where summary.contains(watch.object.identity) {
      watched[id] = nil
      if watch.isLocked { watch.object.countVersionUp() }
    }
  }

  /// The rows of records as the stores have them now.
  func storedRows(for ids: [ObjectID]) throws -> [Row?] {
    statistics.roundTrips += 1
    return try coordinator().rows(for: ids, stalenessInterval: 0)
  }
}

/// An object whose record the next save compares.
struct WatchedObject {
  let object: ManagedObject
  /// Whether the save compares it for that reason alone, and counts its version up.
  var isLocked = false
}

extension ManagedObject {
  /// Takes over the version that a save gave to a record whose values it left alone.
  fileprivate final func countVersionUp() {
    guard let old = snapshot, let own = row else { return }
    let fresh = old.copy(version: old.version &+ 1)
    snapshot = fresh
    guard own.isIdentical(to: old) else {
      own.identify(key: own.key, version: fresh.version)
      return
    }
    row = fresh
    memory = fresh.base
    settled.removeAll()
  }
}
