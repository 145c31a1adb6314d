// SPDX-License-Identifier: Apache-2.0

/// What a context has cost so far.
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
  /// The round trips that a property or relationship caused by being read.
  public var implicitRoundTrips = 0
  /// The rows that came back.
  public var rowsFetched = 0
  /// The faults that became objects with values.
  public var faultsFired = 0
  /// The objects that were registered.
  public var objectsRegistered = 0
  /// The saves that wrote something.
  public var saves = 0
}
