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
    var maker = FaultMaker(context: self)
    var start = 0
    while start < ids.count {
      let end = min(start + FetchGroup.limit, ids.count)
      let group = FetchGroup(ids: Array(ids[start..<end]), commitCount: commitCountOfFetch)
      for id in group.ids {
        let object = registry.object(for: id) ?? maker.fault(id)
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
}

/// Makes faults of one entity after the other, and looks up what it needs of an entity once.
struct FaultMaker {
  let context: ManagedObjectContext
  private var layout: RowLayout?
  private var binding: EntityBinding?
  private var scope: IDScope?

  init(context: ManagedObjectContext) {
    self.context = context
  }

  /// Makes the object of a record that the context does not know.
  mutating func fault(_ id: ObjectID, of layout: RowLayout) -> ManagedObject {
    if self.layout !== layout || binding == nil {
      self.layout = layout
      scope = nil
      binding = EntityBinding.binding(of: layout.entity)
    }
    return context.makeFault(id, binding: binding ?? EntityBinding.binding(of: layout.entity))
  }

  /// Makes the object of a record that the context does not know and that has no row at hand.
  mutating func fault(_ id: ObjectID) -> ManagedObject {
    if scope !== id.scope || binding == nil {
      scope = id.scope
      layout = nil
      binding = EntityBinding.binding(of: id.entity)
    }
    return context.makeFault(id, binding: binding ?? EntityBinding.binding(of: id.entity))
  }
}
