// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Ctrl-C, or a polite request to end: the first ends the run after the step that is under way, the second the program
/// at once.
enum Interruption {
  /// How a shell says that a program was interrupted.
  static let exitCode: Int32 = 130
  private static let count = Atomic<Int>(0)

  static func listen() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        if Interruption.count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
          _exit(Interruption.exitCode)
        }
      }
    }
  }

  static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
