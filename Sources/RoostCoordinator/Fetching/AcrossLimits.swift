// SPDX-License-Identifier: Apache-2.0

/// The limits of requests over relationships into other stores; tests set lower ones.
package enum AcrossLimits {
  /// The maximum number of hops of a condition into other stores.
  @TaskLocal package static var mostHops = 8
  /// The number of records up to which a hop asks for their destinations rather than for all objects that satisfy the
  /// condition.
  @TaskLocal package static var fewKeys = 1_000
  /// The maximum number of IDs that a hop may return; beyond that, the condition is evaluated in memory.
  @TaskLocal package static var mostKeys = 100_000
  /// The maximum number of rows that are sorted or combined in memory at once.
  @TaskLocal package static var mostRows = 10_000_000
}
