// SPDX-License-Identifier: Apache-2.0

import CBenchInstructions

/// Counts the user-space instructions of the process, on all threads, when it runs under callgrind.
enum InstructionCounter {
  /// Whether the process runs under Valgrind.
  static var isAvailable: Bool { bench_instructions_available() }

  static func start() { bench_instructions_start() }

  static func stop() { bench_instructions_stop() }

  /// Makes callgrind write its counts to a file and restart from zero.
  static func dump(_ name: String) { bench_instructions_dump(name) }
}
