// SPDX-License-Identifier: Apache-2.0

/// What the reads of a piece of work have in common.
///
/// ```swift
/// let report = try container.read(.snapshotWherePossible) { context in
///   try context.fetch(Person.fetchRequest()).map(\.name)
/// }
/// ```
public enum ReadConsistency: Sendable, Hashable {
  /// All of them see one state of all stores; a store that cannot show that is an error.
  case snapshot
  /// All of them see one state of each store that can show it. Of other stores, each fetch and each fault sees the
  /// state of its time.
  case snapshotWherePossible
}
