// SPDX-License-Identifier: Apache-2.0

import CBenchFlushes

/// Counts and slows down the file flushes of this process.
enum Flushes {
  static var isAvailable: Bool { bench_flushes_available() }

  /// The number of flushes so far.
  static var count: Int { Int(bench_flushes_count()) }

  /// Runs a body while each flush takes at least a given time. Only flushes of this process are slowed down, not
  /// those of a server.
  ///
  /// - Parameter milliseconds: The minimum duration of a flush; nil for the disk's own speed.
  static func taking<Result>(
    _ milliseconds: Int?, _ body: () throws -> Result
  ) rethrows -> Result {
    bench_flushes_take(UInt64(milliseconds ?? 0) * 1_000)
    defer { bench_flushes_take(0) }
    return try body()
  }
}
