// SPDX-License-Identifier: Apache-2.0

/// How busy the connections of a store are at a moment: what tells whether a pool is too small.
///
/// ```swift
/// for (store, connections) in coordinator.connections where connections.waiting > 0 {
///   print("\(connections.waiting) requests wait for a connection to \(store)")
/// }
/// ```
public struct StoreConnections: Sendable, Hashable {
  /// How many there can be: the limit that the store was opened with.
  public var limit: Int
  /// How many are used by a request.
  public var inUse: Int
  /// How many are open and wait for a request.
  public var idle: Int
  /// How many requests wait for a connection.
  public var waiting: Int

  /// Makes what a store reports.
  ///
  /// - Parameters:
  ///   - limit: How many there can be.
  ///   - inUse: How many are used by a request.
  ///   - idle: How many are open and wait for a request.
  ///   - waiting: How many requests wait for a connection.
  public init(limit: Int, inUse: Int, idle: Int, waiting: Int) {
    self.limit = limit
    self.inUse = inUse
    self.idle = idle
    self.waiting = waiting
  }
}
