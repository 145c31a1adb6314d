// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Turns rows into objects: the registered object of each record, or a new fault that has its row at hand (B32, B36).
  func materialize(_ rows: FetchedRows, refreshing: Bool) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(rows.count)
    registry.reserve(rows.count)
    let commitCount = commitCountOfFetch
    var group: FetchGroup?
    var pending: [ObjectID] = []
    var fresh: [ManagedObject] = []
    for index in 0..<rows.count {
      let id = rows.objectID(at: index)
      let row = rows.rows[index]
      let object: ManagedObject
      if let known = registry.object(for: id) {
        object = known
        meet(known, row, refreshing: refreshing)
      } else {
        object = makeFault(id, binding: EntityBinding.binding(of: row.layout.entity))
        object.attach(row)
      }
      result.append(object)
      pending.append(id)
      fresh.append(object)
      if pending.count == FetchGroup.limit {
        group = FetchGroup(ids: pending, commitCount: commitCount)
        for member in fresh { member.group = group }
        pending.removeAll(keepingCapacity: true)
        fresh.removeAll(keepingCapacity: true)
      }
    }
    let rest = FetchGroup(ids: pending, commitCount: commitCount)
    for member in fresh { member.group = rest }
    return result
  }

  /// An object that is registered already keeps its values (B49), unless it is a fault or asked to be refreshed (B145).
  private func meet(_ object: ManagedObject, _ row: Row, refreshing: Bool) {
    if object.isFault {
      if !object.flags.contains(.deleted) { object.attach(row) }
    } else if refreshing, !object.flags.contains(.inserted) {
      object.rebase(on: row)
    }
  }

  /// Loads relationships of many objects, one request a step of each key path (B127).
  func prefetch(_ keyPaths: [String], of objects: [ManagedObject]) throws {
    for keyPath in keyPaths {
      var level = objects
      for name in keyPath.split(separator: ".") {
        level = try prefetchStep(String(name), of: level)
      }
    }
  }

  private func prefetchStep(
    _ name: String, of objects: [ManagedObject]
  ) throws -> [ManagedObject] {
    guard let first = objects.first else { return [] }
    guard let relationship = first.binding.relationship(named: name) else {
      throw first.unknownKey(name)
    }
    try realize(ContiguousArray(objects))
    let sources = objects.filter { $0.binding.relationship(named: name) != nil }
    if relationship.isToMany {
      let unread = sources.filter { $0.isKnownBelow && $0.hasUnloaded(relationship) }
      if !unread.isEmpty { try loadDestinations(of: relationship, for: unread) }
    }
    var seen = Set<ObjectIdentifier>()
    var destinations = ContiguousArray<ManagedObject>()
    for source in sources {
      for object in source.allDestinations(relationship)
      where seen.insert(ObjectIdentifier(object)).inserted {
        destinations.append(object)
      }
    }
    try realize(destinations)
    return Array(destinations)
  }
}
