// SPDX-License-Identifier: Apache-2.0

/// What a conformance case is about. Each topic has a file of cases; the list of all cases is made of the topics, so
/// that no case can be forgotten.
///
/// ```swift
/// let cases = ConformanceTopic.identity.cases
/// ```
public enum ConformanceTopic: String, Sendable, Hashable, CaseIterable, Codable {
  /// What is written is read back, bit by bit, or refused.
  case values
  /// Object IDs, their URIs, and one object a record.
  case identity
  /// How many requests reading costs.
  case faulting
  /// Predicates, orders, windows, result types.
  case fetching
  /// Texts that are searched for words.
  case search
  /// Derived, fetched and composite attributes, large data, values of the program's own types.
  case properties
  /// Inverses of every cardinality, ordered destinations.
  case relationships
  /// Nullify, cascade, deny and no action.
  case deleteRules
  /// What a save refuses, with all failures at once.
  case validation
  /// All or nothing, versions, the order of events.
  case saving
  /// What is told of changes, when, and to whom.
  case events
  /// Undo and redo, also past a save.
  case undo
  /// Values that must be unique.
  case constraints
  /// Two contexts that change one record.
  case conflicts
  /// Requests that go past the contexts.
  case batch
  /// Records as files, and files as records.
  case exchange
  /// Contexts that read from a context and save into it.
  case hierarchy
  /// Taking over what other contexts saved.
  case merging
  /// Contexts that read one snapshot.
  case generations
  /// Several stores behind one coordinator.
  case severalStores
  /// Relationships from one store into another.
  case acrossStores
  /// What a store says of itself, and whether a model fits it.
  case metadata
  /// Stores that follow their model to another version.
  case evolution
  /// What a store tells of its transactions.
  case history
  /// Results that are kept up to date.
  case live
  /// Entities that inherit.
  case inheritance
  /// Names of entities and properties that a store must not stumble over.
  case names
  /// Calls that make no sense: an error each, and nothing half done.
  case misuse
  /// Random operations, compared with a model of plain values.
  case walks
}
