// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
import RoostObjects

/// The change of live results since the previous update.
///
/// ```swift
/// for try await update in people.updates {
///   table.apply(update.difference)
///   table.reload(update.refreshed)
/// }
/// ```
public struct LiveUpdate: Sendable, Hashable {
  /// Removals and insertions by index. A move is one of each, and the two are associated with each other.
  public let difference: CollectionDifference<ObjectID>
  /// The objects that were in the results before, still are, and were changed.
  public let refreshed: Set<ObjectID>
  /// Whether all objects were replaced, because the context was reset or a store was removed.
  public let isReset: Bool
  /// The position of the stores' histories up to which the results are current: earlier transactions need not be read
  /// again.
  ///
  /// It advances with saves by other coordinators and processes, and is nil before the first of them. Saves of the
  /// own coordinator do not advance it, because earlier saves by others may not be shown yet: a program that reads
  /// the history after the token may meet some of its own saves again.
  public let token: PersistentHistoryToken?

  init(_ change: ListChange) {
    difference = change.difference
    refreshed = change.refreshed
    isReset = change.isReset
    token = change.token
  }
}
