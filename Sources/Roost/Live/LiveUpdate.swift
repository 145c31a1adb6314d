// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
import RoostObjects

/// How live results changed since the update before.
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
  /// The objects that were there before, are there now, and were changed.
  public let refreshed: Set<ObjectID>
  /// Whether all objects are others than before, because the context was reset or a store was removed.
  public let isReset: Bool
  /// How far the histories of the stores are shown: what is before it need not be asked for again.
  ///
  /// It moves with what other coordinators and processes save, and nil is what it is before that. Saves of the own
  /// coordinator do not move it, since others may have saved before them what is not shown yet: a program that asks for
  /// what came after it meets some of its own saves again.
  public let token: PersistentHistoryToken?

  init(_ change: ListChange) {
    difference = change.difference
    refreshed = change.refreshed
    isReset = change.isReset
    token = change.token
  }
}
