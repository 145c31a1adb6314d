// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

// What a parent answers to its children; called on the parent's queue.
extension ManagedObjectContext {
  /// Returns what matches a request, with the parent's unsaved changes (B202).
  func answer<T>(
    _ resolved: ResolvedFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetchResult {
    processPendingChanges()
    if case .columns = resolved.result { return try ask(resolved, for: request) }
    guard request.includesPendingChanges, let overlay = try overlay(for: resolved, request) else {
      return try ask(resolved, for: request).replacingRows { self.rows(forChild: $0) }
    }
    let objects = try overlay.objects()
    switch resolved.result {
    case .count: return .count(objects.count)
    case .keys: return .ids(objects.map(\.identity))
    default:
      let rows = try rowsForChild(objects.map(\.identity), stalenessInterval: stalenessInterval)
      return .rows(FetchedRows(ids: objects.map(\.identity), rows: rows, registered: objects))
    }
  }

  /// The rows of a fetch, with the values of those objects that the parent has.
  private func rows(forChild rows: FetchedRows) -> FetchedRows {
    var rows = rows
    for index in 0..<rows.count {
      guard let known = registry.object(for: rows.objectID(at: index)) else { continue }
      if known.isFault {
        rows.rows[index] = rowForChild(known, unread: rows.rows[index])
      } else if let row = rowForChild(known) {
        rows.rows[index] = row
      }
    }
    return rows
  }

  /// Returns the rows of objects as they are here; nil for what is gone or deleted here (B203).
  func rowsForChild(_ ids: [ObjectID], stalenessInterval: Double) throws -> [Row?] {
    learnPermanentIDs()
    var result = [Row?](repeating: nil, count: ids.count)
    var unread: [Int] = []
    for (index, id) in ids.enumerated() {
      if let known = registry.object(for: id.current) {
        if known.flags.contains(.deleted) { continue }
        if !known.isFault {
          result[index] = rowForChild(known)
          continue
        }
      }
      unread.append(index)
    }
    guard !unread.isEmpty else { return result }
    let rows = try source().rows(
      for: unread.map { ids[$0].current }, stalenessInterval: stalenessInterval)
    for (index, row) in zip(unread, rows) {
      guard let row, let known = registry.object(for: ids[index].current) else {
        result[index] = row
        continue
      }
      result[index] = rowForChild(known, unread: row)
    }
    return result
  }

  /// The row of an object that can be had without asking a store.
  func cachedRowForChild(_ id: ObjectID) -> Row? {
    learnPermanentIDs()
    guard let known = registry.object(for: id.current) else { return cachedRow(for: id.current) }
    if known.isFault { return cachedRow(for: id.current).map { rowForChild(known, unread: $0) } }
    return known.flags.contains(.deleted) ? nil : rowForChild(known)
  }

  /// Returns the destinations of a relationship as they are here.
  func destinationsForChild(
    _ relationship: RelationshipDescription, _ sources: [ObjectID]
  ) throws -> FetchedDestinations {
    learnPermanentIDs()
    let objects = sources.map { object(with: $0) }
    // No store knows a transient relationship, and no row a destination of one (B59).
    let isRead = relationship.isToMany && (!relationship.isTransient || parentContext != nil)
    let unread =
      isRead ? objects.filter { $0.isKnownBelow && $0.hasUnloaded(relationship) } : []
    if !unread.isEmpty { try loadDestinations(of: relationship, for: unread) }
    var ids: [ObjectID] = []
    var offsets = [0]
    for object in objects {
      if let own = object.binding.relationship(named: relationship.name) {
        if own.isToMany {
          ids += try object.readLinks(own).members.map(\.identity)
        } else if let destination = try object.readDestination(own.ordinal) {
          ids.append(destination.identity)
        }
      }
      offsets.append(ids.count)
    }
    return FetchedDestinations(offsets: offsets, ids: ObjectIDList(ids))
  }

  /// The row of an object that is not read here. One side of its relationships may have been changed all the same, by
  /// what was done at the other side (B67).
  private func rowForChild(_ object: ManagedObject, unread row: Row) -> Row {
    guard !object.changedLinks.isEmpty else { return row }
    let copy = row.copy()
    object.writeDestinations(into: copy)
    return copy
  }

  /// A row of the values that an object has now; the child never changes it, and neither does this context.
  func rowForChild(_ object: ManagedObject) -> Row? {
    guard let row = object.row else { return nil }
    if let snapshot = object.snapshot, snapshot.isIdentical(to: row), object.changedLinks.isEmpty {
      return row
    }
    let copy = row.copy()
    object.writeDestinations(into: copy)
    // Each context has transient values of its own (B348).
    for slot in object.binding.transientSlots {
      copy.copySlot(slot, from: object.binding.defaults)
    }
    return copy
  }
}

extension ManagedObject {
  /// Writes the to-one destinations of now into a row that goes to a child or becomes the base of one.
  final func writeDestinations(into target: Row) {
    guard !links.isEmpty, let references = context?.references else { return }
    for relationship in binding.relationships {
      guard case .toOne(let slot) = relationship.storage,
        case .toOne(let destination) = links[relationship.ordinal]
      else { continue }
      if let destination {
        target.setInteger(references.key(for: destination.identity, from: identity), at: slot)
      } else {
        target.setNull(slot)
      }
    }
  }

  /// Whether there is something below the context that can be read: a record, or an unsaved object of the parent.
  final var isKnownBelow: Bool {
    if !identity.isTemporaryID { return true }
    guard context?.parentContext != nil else { return false }
    return !flags.contains(.inserted) && (row == nil || snapshot != nil)
  }
}

extension CoordinatorFetchResult {
  /// The result with other rows, if it has rows.
  fileprivate func replacingRows(
    _ replacement: (FetchedRows) -> FetchedRows
  ) -> CoordinatorFetchResult {
    guard case .rows(let rows) = self else { return self }
    return .rows(replacement(rows))
  }
}

extension FetchedRows {
  /// The rows of a parent's objects; one whose row is gone meanwhile is left out.
  fileprivate init(ids: [ObjectID], rows: [Row?], registered: [ManagedObject]) {
    var known: [ObjectID] = []
    var found: [Row] = []
    for (index, id) in ids.enumerated() {
      guard let row = rows[index] ?? registered[index].row else { continue }
      known.append(id)
      found.append(row)
    }
    self.init(rows: found, ids: known)
  }
}
