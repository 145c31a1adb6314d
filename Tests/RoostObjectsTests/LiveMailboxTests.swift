// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import Testing

@Suite("Mailboxes of live updates")
struct LiveMailboxTests {
  /// Reads the next number, and looks for changes before each look into the mailbox.
  private func next(
    of mailbox: LiveMailbox<Int>, after check: () -> Void
  ) async -> Int? {
    while !Task.isCancelled {
      switch mailbox.take(after: check) {
      case .update(let number): return number
      case .end: return nil
      case .nothing: await mailbox.wait()
      }
    }
    return nil
  }

  @Test(
    "a change that is announced while the reader looks for changes wakes it again (L9)",
    .timeLimit(.minutes(1)))
  func announcedDuringCheck() async {
    let mailbox = LiveMailbox<Int>(capacity: nil) { $0 = $1 }
    var checks = 0
    let number = await next(of: mailbox) {
      checks += 1
      // The first look comes too early to find the change.
      if checks == 1 { mailbox.signal() } else { mailbox.offer(7) }
    }
    #expect(number == 7)
    #expect(checks == 2)
  }

  @Test("an announcement before the check needs no second one (L9)")
  func announcedBefore() async {
    let mailbox = LiveMailbox<Int>(capacity: nil) { $0 = $1 }
    mailbox.signal()
    var checks = 0
    let number = await next(of: mailbox) {
      checks += 1
      mailbox.offer(checks)
    }
    #expect(number == 1)
    #expect(checks == 1)
  }
}
