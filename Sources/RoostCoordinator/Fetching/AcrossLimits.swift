// SPDX-License-Identifier: Apache-2.0

/// How much a request over relationships into other stores may take; tests set less.
package enum AcrossLimits {
  /// So many steps of a condition may lead into other stores.
  @TaskLocal package static var mostHops = 8
  /// So many records, at the most, have what they lead to asked for rather than all that satisfies a condition.
  @TaskLocal package static var fewKeys = 1_000
  /// So many IDs may come back from a hop; beyond that the condition is judged in memory.
  @TaskLocal package static var mostKeys = 100_000
  /// So many rows are sorted or combined in memory at once.
  @TaskLocal package static var mostRows = 10_000_000
}
