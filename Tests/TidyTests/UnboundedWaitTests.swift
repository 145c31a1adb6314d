// SPDX-License-Identifier: Apache-2.0

import Testing

/// The control of the rule about tests that wait.
@Suite struct UnboundedWaitTests {
  private func lines(_ text: String, in path: String) -> [Int] {
    UnboundedWaitRule().findings(in: SourceFile(path: path, text: text)).map(\.line)
  }

  @Test("a loop that only pauses is found in a test, and one that works or is cancelled is not")
  func unboundedWaits() {
    let text = """
      while !isDone { usleep(500) }
        while try state.withLock({ $0.isHeld }) { try await Task.sleep(for: .seconds(1)) }
      while a || b {
        Thread.sleep(forTimeInterval: 0.001)
      }
      while !Task.isCancelled { await Task.yield() }
      while !isDone {
        usleep(500)
        try again()
      }
      while !isDone { again() }
      try waitUntil(isDone)
      """
    #expect(lines(text, in: "Tests/ATests/Sample.swift") == [1, 2, 3])
    #expect(lines(text, in: "Tests/AWriter/Sample.swift") == [])
  }
}
