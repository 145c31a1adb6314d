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
  /// Who left and who came, by their places. Who moved has done both, and the two changes name each other's place.
  public let difference: CollectionDifference<ObjectID>
  /// The objects that were there before, are there now, and were changed.
  public let refreshed: Set<ObjectID>
  /// Whether all objects are others than before, because the context was reset or a store was removed.
  public let isReset: Bool
  /// The token of the last saves that are shown, by whomever, as far as they came with one. They and what is before
  /// them in their stores need not be asked for again, but for what others saved just before a save of the own
  /// coordinator: that is told with a later update.
  ///
  /// nil before the first such save. Saves of the own coordinator to PostgreSQL come with none, because that store
  /// would have to be asked each time; what others save there does.
  public let token: PersistentHistoryToken?

  init(_ change: ListChange) {
    difference = change.difference
    refreshed = change.refreshed
    isReset = change.isReset
    token = change.token
  }
}
