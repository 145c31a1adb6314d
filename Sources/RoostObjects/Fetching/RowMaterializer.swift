// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Turns rows into objects: the registered object of each record, or a new fault that has its row at hand (B32, B36).
  func materialize(_ rows: FetchedRows, refreshing: Bool) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(rows.count)
    registry.reserve(rows.count)
    var ids = rows.makeIDs()
    var maker = FaultMaker(context: self)
    var start = 0
    while start < rows.count {
      let end = min(start + FetchGroup.limit, rows.count)
      let group = FetchGroup(
        ids: (start..<end).map { ids.id(at: $0) }, commitCount: commitCountOfFetch)
      for index in start..<end {
        let id = group.ids[index - start]
        let row = rows.rows[index]
        let object: ManagedObject
        if let known = registry.object(for: id) {
          object = known
          meet(known, row, refreshing: refreshing)
        } else {
          object = maker.fault(id, of: row.layout)
          object.attach(row)
        }
        object.group = group
        result.append(object)
      }
      start = end
    }
    return result
  }

  /// Turns IDs into objects that know nothing but who they are (B37).
  func materialize(_ ids: [ObjectID]) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(ids.count)
    registry.reserve(ids.count)
    var start = 0
    while start < ids.count {
      let end = min(start + FetchGroup.limit, ids.count)
      let group = FetchGroup(ids: Array(ids[start..<end]), commitCount: commitCountOfFetch)
      for id in group.ids {
        let object = registry.object(for: id) ?? makeFault(id)
        object.group = group
        result.append(object)
      }
      start = end
    }
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

/// Makes faults of one entity after the other, and looks up what it needs of an entity once.
private struct FaultMaker {
  let context: ManagedObjectContext
  private var layout: RowLayout?
  private var binding: EntityBinding?

  init(context: ManagedObjectContext) {
    self.context = context
  }

  /// Makes the object of a record that the context does not know.
  mutating func fault(_ id: ObjectID, of layout: RowLayout) -> ManagedObject {
    if self.layout !== layout || binding == nil {
      self.layout = layout
      binding = EntityBinding.binding(of: layout.entity)
    }
    return context.makeFault(id, binding: binding ?? EntityBinding.binding(of: layout.entity))
  }
}
