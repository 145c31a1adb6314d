// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a body on several threads at once and waits for all.
enum Concurrently {
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(index)
        group.leave()
      }
    }
    group.wait()
  }
}
