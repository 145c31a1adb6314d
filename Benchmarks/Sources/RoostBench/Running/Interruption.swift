// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// SIGINT (Ctrl-C), SIGHUP or SIGTERM: the first signal ends the run after the current step, the second ends the
/// program at once.
enum Interruption {
  /// The exit code that shells use for a program ended by SIGINT.
  static let exitCode: Int32 = 130
  private static let count = Atomic<Int>(0)
  private static let farewells = Mutex<[@Sendable () -> Void]>([])
  /// The pipe that the signal handler writes to: few functions are async-signal-safe, `write` is one of them.
  private static let bell = Pipe()
  private static let bellDescriptor = bell.fileHandleForWriting.fileDescriptor

  static func listen() {
    let descriptor = bellDescriptor
    precondition(descriptor >= 0, "A pipe has two ends.")
    Thread.detachNewThread {
      // The handler writes one byte for each signal after the first.
      _ = bell.fileHandleForReading.readData(ofLength: 1)
      for farewell in farewells.withLock({ $0 }) { farewell() }
      _exit(exitCode)
    }
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    // The parent process may have blocked the signals, as threads that serve queues do.
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    for number in numbers {
      signal(number) { _ in
        if Interruption.count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
          var byte: UInt8 = 0
          _ = write(Interruption.bellDescriptor, &byte, 1)
        }
      }
    }
  }

  /// Adds an action to run before the program ends at once.
  static func atEnd(_ farewell: @escaping @Sendable () -> Void) {
    farewells.withLock { $0.append(farewell) }
  }

  static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
