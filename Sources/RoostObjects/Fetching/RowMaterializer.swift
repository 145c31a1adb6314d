// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension RowMaterializer {
  /// Converts rows to objects: the registered object of each record, or a new fault with its row attached (B32, B36).
  func materialize(_ rows: FetchedRows, refreshing: Bool) -> [ManagedObject] {
    context.registry.reserve(rows.count)
    return Array(unsafeUninitializedCapacity: rows.count) { result, count in
      while count < rows.count {
        let range = count..<min(count + FetchGroup.limit, rows.count)
        let group = FetchGroup(
          ids: rows.ids(in: range), commitCount: context.loading.commitCountOfFetch)
        if let scope = group.ids.scope {
          let maker = RecordMaker(context: context, scope: scope, group: group)
          withExtendedLifetime(maker) {
            rows.rows.forEachHeld(in: range) { row in
              result.initializeElement(at: count, to: maker.object(of: row, refreshing))
              count += 1
            }
          }
          continue
        }
        var maker = FaultMaker(context: context)
        for place in range {
          let object = object(
            of: group.ids[place - range.lowerBound], rows.rows[place], refreshing, &maker)
          object.fetchGroup = group
          result.initializeElement(at: place, to: object)
          count += 1
        }
      }
    }
  }

  /// Returns the object of one row.
  private func object(
    of id: ObjectID, _ row: Row, _ refreshing: Bool, _ maker: inout FaultMaker
  ) -> ManagedObject {
    if let known = context.registry.object(for: id) {
      meet(known, row, refreshing: refreshing)
      return known
    }
    let object = maker.fault(id)
    object.attach(row)
    return object
  }

  /// Converts IDs to objects that have nothing but their identity (B37).
  func materialize(_ ids: [ObjectID]) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(ids.count)
    context.registry.reserve(ids.count)
    var maker = FaultMaker(context: context)
    var start = 0
    while start < ids.count {
      let end = min(start + FetchGroup.limit, ids.count)
      let group = FetchGroup(
        ids: Array(ids[start..<end]), commitCount: context.loading.commitCountOfFetch)
      for id in group.ids {
        let object = context.registry.object(for: id) ?? maker.fault(id)
        object.fetchGroup = group
        result.append(object)
      }
      start = end
    }
    return result
  }

  /// Takes a row for a registered object, which keeps its values (B49), unless it is a fault or a refresh is
  /// requested (B145).
  fileprivate func meet(_ object: ManagedObject, _ row: Row, refreshing: Bool) {
    if object.isFault {
      if !object.flags.contains(.deleted) { object.attach(row) }
    } else if refreshing, !object.flags.contains(.inserted) {
      object.restoring.rebase(on: row)
    }
  }
}

/// Creates the objects of rows of one entity in one store, which were found together.
private struct RecordMaker {
  let context: ManagedObjectContext
  let scope: IDScope
  let group: FetchGroup
  let binding: EntityBinding

  init(context: ManagedObjectContext, scope: IDScope, group: FetchGroup) {
    self.context = context
    self.scope = scope
    self.group = group
    binding = EntityBinding.binding(of: scope.entity)
  }

  /// Returns the object of a row that the caller retains: the registered one, or a new one.
  @inline(__always) func object(of row: Unmanaged<RowStorage>, _ refreshing: Bool) -> ManagedObject
  {
    let key = row._withUnsafeGuaranteedRef { Row(storage: $0).key }
    if let known = context.registry.object(forKey: key, in: scope) {
      context.materializer.meet(
        known, Row(storage: row.takeUnretainedValue()), refreshing: refreshing)
      known.fetchGroup = group
      return known
    }
    return context.materializer.makeFault(
      forKey: key, in: scope, binding: binding, row: row, group: .passUnretained(group))
  }
}

/// Creates a series of faults, looking up the data of each entity once.
struct FaultMaker {
  let context: ManagedObjectContext
  private var binding: EntityBinding?
  private var scope: IDScope?

  init(context: ManagedObjectContext) {
    self.context = context
  }

  /// Creates the object of a record that is not registered and has no cached row.
  mutating func fault(_ id: ObjectID) -> ManagedObject {
    if scope !== id.scope || binding == nil {
      scope = id.scope
      binding = EntityBinding.binding(of: id.entity)
    }
    return context.materializer.makeFault(
      id, binding: binding ?? EntityBinding.binding(of: id.entity))
  }
}

extension [Row] {
  /// Calls `body` with some of the rows, without reference counting; the array retains the rows meanwhile.
  @inline(__always)
  fileprivate func forEachHeld(in range: Range<Int>, _ body: (Unmanaged<RowStorage>) -> Void) {
    withUnsafeBytes { bytes in
      // A row is one reference, and so is an unmanaged one.
      for reference in bytes.bindMemory(to: Unmanaged<RowStorage>.self)[range] { body(reference) }
    }
  }
}
