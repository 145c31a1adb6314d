// SPDX-License-Identifier: Apache-2.0

/// Counters of a context's work since its creation.
///
/// ```swift
/// let before = context.counters
/// _ = ada.department?.name
/// print(context.counters.roundTrips - before.roundTrips)
/// ```
public struct ContextCounters: Sendable, Hashable {
  package init() {}

  /// The requests that went to the coordinator.
  public var roundTrips = 0
  /// The round trips caused by reading a property or relationship.
  public var implicitRoundTrips = 0
  /// The rows returned.
  public var rowsFetched = 0
  /// The faults fulfilled.
  public var faultsFired = 0
  /// The objects that were registered.
  public var objectsRegistered = 0
  /// The saves that wrote something.
  public var saves = 0
}
