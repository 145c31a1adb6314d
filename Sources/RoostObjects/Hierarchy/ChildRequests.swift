// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

// Answers of a parent to its children; called on the parent's queue.
extension ChildRequests {
  /// Returns the matches of a request, with the parent's unsaved changes (B202).
  func answer<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetchResult {
    context.processPendingChanges()
    if case .columns = resolved.result { return try context.fetcher.ask(resolved, for: request) }
    guard request.includesPendingChanges,
      let overlay = try context.fetcher.overlay(for: resolved, request)
    else {
      return try context.fetcher.ask(resolved, for: request).replacingRows {
        self.rows(forChild: $0)
      }
    }
    let objects = try overlay.objects()
    switch resolved.result {
    case .count: return .count(objects.count)
    case .keys: return .ids(objects.map(\.identity))
    default:
      let rows = try rowsForChild(
        objects.map(\.identity), stalenessInterval: context.stalenessInterval)
      return .rows(FetchedRows(ids: objects.map(\.identity), rows: rows, registered: objects))
    }
  }

  /// The rows of a fetch, with the parent's values for registered objects.
  private func rows(forChild rows: FetchedRows) -> FetchedRows {
    var rows = rows
    for index in 0..<rows.count {
      guard let known = context.registry.object(for: rows.objectID(at: index)) else { continue }
      if known.isFault {
        rows.rows[index] = rowForChild(known, unread: rows.rows[index])
      } else if let row = rowForChild(known) {
        rows.rows[index] = row
      }
    }
    return rows
  }

  /// Returns the rows of objects in their state here; nil for those that are gone or deleted here (B203).
  func rowsForChild(_ ids: [ObjectID], stalenessInterval: Double) throws -> [Row?] {
    context.upstream.learnPermanentIDs()
    var result = [Row?](repeating: nil, count: ids.count)
    var unread: [Int] = []
    for (index, id) in ids.enumerated() {
      if let known = context.registry.object(for: id.current) {
        if known.flags.contains(.deleted) { continue }
        if !known.isFault {
          result[index] = rowForChild(known)
          continue
        }
      }
      unread.append(index)
    }
    guard !unread.isEmpty else { return result }
    let rows = try context.upstream.source().rows(
      for: unread.map { ids[$0].current }, stalenessInterval: stalenessInterval)
    for (index, row) in zip(unread, rows) {
      guard let row, let known = context.registry.object(for: ids[index].current) else {
        result[index] = row
        continue
      }
      result[index] = rowForChild(known, unread: row)
    }
    return result
  }

  /// Returns the row of an object without querying a store.
  func cachedRowForChild(_ id: ObjectID) -> Row? {
    context.upstream.learnPermanentIDs()
    guard let known = context.registry.object(for: id.current) else {
      return context.upstream.cachedRow(for: id.current)
    }
    if known.isFault {
      return context.upstream.cachedRow(for: id.current).map { rowForChild(known, unread: $0) }
    }
    return known.flags.contains(.deleted) ? nil : rowForChild(known)
  }

  /// Returns the destinations of a relationship in their state here.
  func destinationsForChild(
    _ relationship: RelationshipDescription, _ sources: [ObjectID]
  ) throws -> FetchedDestinations {
    context.upstream.learnPermanentIDs()
    let objects = sources.map { context.object(with: $0) }
    // A transient relationship is in no store, and its destinations are in no row (B59).
    let isRead =
      relationship.isToMany && (!relationship.isTransient || context.parentContext != nil)
    let unread =
      isRead ? objects.filter { $0.isKnownBelow && $0.related.hasUnloaded(relationship) } : []
    if !unread.isEmpty { try context.loader.loadDestinations(of: relationship, for: unread) }
    var ids: [ObjectID] = []
    var offsets = [0]
    for object in objects {
      if let own = object.binding.relationship(named: relationship.name) {
        if own.isToMany {
          ids += try object.related.readLinks(own).members.map(\.identity)
        } else if let destination = try object.related.readDestination(own.ordinal) {
          ids.append(destination.identity)
        }
      }
      offsets.append(ids.count)
    }
    return FetchedDestinations(offsets: offsets, ids: ObjectIDList(ids))
  }

  /// Returns the row of an object that is a fault here. A change of an inverse may have changed its relationships
  /// nevertheless (B67).
  private func rowForChild(_ object: ManagedObject, unread row: Row) -> Row {
    guard !object.changedLinks.isEmpty else { return row }
    let copy = row.copy()
    object.values.writeDestinations(into: copy)
    return copy
  }

  /// Returns a row of the object's current values, which neither the child nor this context changes.
  func rowForChild(_ object: ManagedObject) -> Row? {
    guard let row = object.row else { return nil }
    if let snapshot = object.snapshot, snapshot.isIdentical(to: row), object.changedLinks.isEmpty {
      return row
    }
    let copy = row.copy()
    object.values.writeDestinations(into: copy)
    // Each context has its own transient values (B348).
    for slot in object.binding.slotPlan.transient {
      copy.copySlot(slot, from: object.binding.defaults)
    }
    return copy
  }
}
