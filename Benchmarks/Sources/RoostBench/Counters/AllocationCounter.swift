// SPDX-License-Identifier: Apache-2.0

import CBenchAllocations

/// How often memory was asked for, and how much.
struct Allocations: Hashable {
  var count = 0
  var bytes = 0

  static func += (left: inout Allocations, right: Allocations) {
    left.count += right.count
    left.bytes += right.bytes
  }
}

/// Counts what the process allocates, on all threads. The program has a `malloc` of its own that counts and then calls
/// the C library's, so Swift's, Foundation's and SQLite's allocations are all seen. Off, it costs a test of a flag.
enum AllocationCounter {
  /// Whether this system lets a program have a `malloc` of its own.
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
