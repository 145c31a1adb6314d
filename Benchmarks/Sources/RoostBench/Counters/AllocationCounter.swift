// SPDX-License-Identifier: Apache-2.0

import CBenchAllocations

/// The number of allocations and their bytes.
struct Allocations: Hashable {
  var count = 0
  var bytes = 0

  static func += (left: inout Allocations, right: Allocations) {
    left.count += right.count
    left.bytes += right.bytes
  }
}

/// Counts the process's allocations, on all threads. The program replaces `malloc` with a function that counts and
/// then calls the C library's, so allocations by Swift, Foundation and SQLite are all counted. While counting is off,
/// it costs a test of a flag.
enum AllocationCounter {
  /// Whether a program can replace `malloc` on this system.
  static var isAvailable: Bool { bench_allocations_available() }

  static func start() -> Allocations {
    bench_allocations_enable(true)
    return now
  }

  static func stop(since start: Allocations) -> Allocations {
    let end = now
    bench_allocations_enable(false)
    return Allocations(count: end.count - start.count, bytes: end.bytes - start.bytes)
  }

  private static var now: Allocations {
    Allocations(
      count: Int(bench_allocations_count()), bytes: Int(bench_allocations_bytes()))
  }
}
