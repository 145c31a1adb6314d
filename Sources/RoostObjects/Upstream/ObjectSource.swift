// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

/// The source of a context's reads: its parent, or the coordinator. Only here do reading and saving distinguish the
/// two.
///
/// Both return rows and IDs: a parent creates rows from its objects in their current state, unsaved changes included
/// (B202, B203). Its queue is entered for that time.
enum ObjectSource {
  case coordinator(PersistentStoreCoordinator, StoreGeneration?)
  case parent(ManagedObjectContext)

  /// Returns the result of a fetch.
  func fetch<T>(
    _ fetch: CoordinatorFetch, for request: FetchRequest<T>
  ) throws -> CoordinatorFetchResult {
    switch self {
    case .coordinator(let coordinator, let generation):
      try coordinator.fetch(fetch, in: generation)
    case .parent(let parent):
      try parent.onQueue { try parent.children.answer(fetch.fetch, for: request) }
    }
  }

  /// Returns the IDs of a request's matches in compact form.
  func packedIDs<T>(
    _ fetch: CoordinatorFetch, for request: FetchRequest<T>
  ) throws -> PackedIDs {
    guard case .coordinator(let coordinator, let generation) = self else {
      guard case .ids(let ids) = try self.fetch(fetch, for: request) else { return PackedIDs([]) }
      return PackedIDs(ids)
    }
    return try coordinator.fetchPackedIDs(fetch, in: generation)
  }

  /// Passes the row of each record and the index of its ID to a closure; nil for a record that is gone.
  func forEachRow(
    of ids: ObjectIDList, stalenessInterval: Double, _ body: (Int, Row?) -> Void
  ) throws {
    switch self {
    case .coordinator(let coordinator, let generation):
      try coordinator.forEachRow(
        of: ids, stalenessInterval: stalenessInterval, in: generation, body)
    case .parent:
      let rows = try rows(for: Array(ids), stalenessInterval: stalenessInterval)
      for place in rows.indices { body(place, rows[place]) }
    }
  }

  /// Returns rows in the order of the IDs; nil for a record that is gone.
  func rows(for ids: [ObjectID], stalenessInterval: Double) throws -> [Row?] {
    switch self {
    case .coordinator(let coordinator, let generation):
      try coordinator.rows(for: ids, stalenessInterval: stalenessInterval, in: generation)
    case .parent(let parent):
      try parent.onQueue {
        try parent.children.rowsForChild(ids, stalenessInterval: stalenessInterval)
      }
    }
  }

  /// Returns the cached row; never queries a store.
  func cachedRow(for id: ObjectID) -> Row? {
    switch self {
    case .coordinator(let coordinator, let generation):
      coordinator.cachedRow(for: id, in: generation)
    case .parent(let parent): parent.onQueue { parent.children.cachedRowForChild(id) }
    }
  }

  /// Returns the destinations of a relationship for many sources.
  func destinations(
    of relationship: RelationshipDescription, for sources: [ObjectID]
  ) throws -> FetchedDestinations {
    switch self {
    case .coordinator(let coordinator, let generation):
      try coordinator.destinations(of: relationship, for: sources, in: generation)
    case .parent(let parent):
      try parent.onQueue { try parent.children.destinationsForChild(relationship, sources) }
    }
  }

  /// A count of commits that shows whether anything may have changed since; for a parent a constant that equals no
  /// count, since its objects change unnoticed.
  var commitCount: Int {
    switch self {
    case .coordinator(let coordinator, _): coordinator.commitCount
    case .parent: -2
    }
  }
}
