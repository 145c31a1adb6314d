// SPDX-License-Identifier: Apache-2.0

/// The consistency of the reads within a piece of work.
///
/// ```swift
/// let report = try container.read(.snapshotWherePossible) { context in
///   try context.fetch(Person.fetchRequest()).map(\.name)
/// }
/// ```
public enum ReadConsistency: Sendable, Hashable {
  /// All reads see one state of all stores; a store without snapshots is an error.
  case snapshot
  /// All reads see one state of each store that supports snapshots. Of other stores, each fetch and each fault sees
  /// the state at its time.
  case snapshotWherePossible
}
