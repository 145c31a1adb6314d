// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

/// Where a context reads: its parent, or the coordinator. Reading and saving fork here and nowhere else.
///
/// What comes back is the same from both, rows and IDs: a parent makes rows of its objects as they are now, unsaved
/// changes included (B202, B203). Its queue is entered for as long as that takes.
enum ObjectSource {
  case coordinator(PersistentStoreCoordinator, StoreGeneration?)
  case parent(ManagedObjectContext)

  /// Returns what matches a request.
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

  /// Returns the IDs of what matches a request for keys, in as little memory as they need.
  func packedIDs<T>(
    _ fetch: CoordinatorFetch, for request: FetchRequest<T>
  ) throws -> PackedIDs {
    guard case .coordinator(let coordinator, let generation) = self else {
      guard case .ids(let ids) = try self.fetch(fetch, for: request) else { return PackedIDs([]) }
      return PackedIDs(ids)
    }
    return try coordinator.fetchPackedIDs(fetch, in: generation)
  }

  /// Hands on the row of each record with the place of its ID; nil for what is gone.
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

  /// Returns rows in the order of the IDs; nil for what is gone.
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

  /// The row at hand; never asks a store.
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

  /// What tells whether anything can have changed since; equal to nothing for a parent, whose objects change unheard.
  var commitCount: Int {
    switch self {
    case .coordinator(let coordinator, _): coordinator.commitCount
    case .parent: -2
    }
  }
}
