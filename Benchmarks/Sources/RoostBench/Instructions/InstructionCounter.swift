// SPDX-License-Identifier: Apache-2.0

import CBenchInstructions

/// Counts the instructions of the process in user space, on all threads, where it runs under callgrind.
enum InstructionCounter {
  /// Whether the process runs under Valgrind.
  static var isAvailable: Bool { bench_instructions_available() }

  static func start() { bench_instructions_start() }

  static func stop() { bench_instructions_stop() }

  /// Lets callgrind write a file with what it has counted, and begin again with zero.
  static func dump(_ name: String) { bench_instructions_dump(name) }
}
