// SPDX-License-Identifier: Apache-2.0

import CBenchFlushes

/// What this process waits for when it writes files.
enum Flushes {
  static var isAvailable: Bool { bench_flushes_available() }

  /// How many there were.
  static var count: Int { Int(bench_flushes_count()) }

  /// Runs something on a disk whose flushes take some time at the least; they are this process's own, so a server's
  /// take as long as ever.
  ///
  /// - Parameter milliseconds: The time; nil for as long as the disk needs.
  static func taking<Result>(
    _ milliseconds: Int?, _ body: () throws -> Result
  ) rethrows -> Result {
    bench_flushes_take(UInt64(milliseconds ?? 0) * 1_000)
    defer { bench_flushes_take(0) }
    return try body()
  }
}
