// SPDX-License-Identifier: Apache-2.0

/// The topic of a conformance case. Each topic has a file of cases; the catalogue is built from the topics, so that
/// no case can be forgotten.
///
/// ```swift
/// let cases = ConformanceTopic.identity.cases
/// ```
public enum ConformanceTopic: String, Sendable, Hashable, CaseIterable, Codable {
  /// Values survive a round trip bit by bit, or are rejected.
  case values
  /// Object IDs, their URIs, and one object per record.
  case identity
  /// The number of requests for reading.
  case faulting
  /// Predicates, sort orders, limits and offsets, result types.
  case fetching
  /// Full-text search.
  case search
  /// Derived, fetched and composite attributes, large data, values of the program's own types.
  case properties
  /// Inverses of every cardinality, ordered destinations.
  case relationships
  /// Nullify, cascade, deny and no action.
  case deleteRules
  /// Validation in a save, which reports all failures at once.
  case validation
  /// Atomicity, versions, the order of events.
  case saving
  /// Notifications of changes: their content, time and receivers.
  case events
  /// Undo and redo, even after a save.
  case undo
  /// Uniqueness constraints.
  case constraints
  /// Conflicts of two contexts that change one record.
  case conflicts
  /// Batch requests, which bypass the contexts.
  case batch
  /// Export and import of records.
  case exchange
  /// Child contexts, which read from a parent context and save into it.
  case hierarchy
  /// Merging the saves of other contexts.
  case merging
  /// Contexts pinned to one snapshot (query generations).
  case generations
  /// Several stores behind one coordinator.
  case severalStores
  /// Relationships from one store into another.
  case acrossStores
  /// The metadata of a store, and its compatibility with a model.
  case metadata
  /// Migration of stores to another model version.
  case evolution
  /// The persistent history of a store.
  case history
  /// Live results.
  case live
  /// Entity inheritance.
  case inheritance
  /// Names of entities and properties that need escaping in a store.
  case names
  /// Invalid calls: each throws an error, and has no partial effect.
  case misuse
  /// Random operations, compared with a model of plain values.
  case walks
}
