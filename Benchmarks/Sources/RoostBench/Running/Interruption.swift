// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Ctrl-C, the end of a terminal, or a polite request to end: the first ends the run after the step that is under way,
/// the second the program at once.
enum Interruption {
  /// How a shell says that a program was interrupted.
  static let exitCode: Int32 = 130
  private static let count = Atomic<Int>(0)
  private static let farewells = Mutex<[@Sendable () -> Void]>([])
  /// Where the handler says that it ran: there it may do hardly anything else.
  private static let bell = Pipe()
  private static let bellDescriptor = bell.fileHandleForWriting.fileDescriptor

  static func listen() {
    let descriptor = bellDescriptor
    precondition(descriptor >= 0, "A pipe has two ends.")
    Thread.detachNewThread {
      // A byte for each that comes after the first one.
      _ = bell.fileHandleForReading.readData(ofLength: 1)
      for farewell in farewells.withLock({ $0 }) { farewell() }
      _exit(exitCode)
    }
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    // Whoever started the program may have blocked them, as threads that serve queues do.
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

  /// What is to be done before the program ends at once.
  static func atEnd(_ farewell: @escaping @Sendable () -> Void) {
    farewells.withLock { $0.append(farewell) }
  }

  static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
