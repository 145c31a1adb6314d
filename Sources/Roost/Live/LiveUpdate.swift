// SPDX-License-Identifier: Apache-2.0

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

  init(_ change: ListChange) {
    difference = change.difference
    refreshed = change.refreshed
    isReset = change.isReset
  }
}
