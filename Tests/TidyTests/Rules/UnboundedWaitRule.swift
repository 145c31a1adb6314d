// SPDX-License-Identifier: Apache-2.0

/// A test must not poll a condition without a limit.
///
/// When the condition never comes to hold, such a test does not fail: it keeps a processor and its locks until the
/// whole run is ended from outside, and the run does not say why. `waitUntil` of `TestWaiting` has a limit.
struct UnboundedWaitRule: TidyRule {
  private static let pauses = [
    "usleep(", "sleep(", "Thread.sleep(", "Task.sleep(", "Task.yield(", "sched_yield(",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    // The programs that tests start have a parent that ends them.
    guard file.isSwift, file.path.hasPrefix("Tests/"), isOfTests(file) else { return [] }
    return file.codeLines.indices.filter { isUnboundedWait(file.codeLines[$0...]) }.map {
      Finding(path: file.path, line: $0 + 1, message: "a test waits with `waitUntil`")
    }
  }

  private func isOfTests(_ file: SourceFile) -> Bool {
    file.path.split(separator: "/")[1].hasSuffix("Tests")
  }

  /// Returns whether the lines begin with a `while` loop that does nothing but pause.
  private func isUnboundedWait(_ lines: ArraySlice<Substring>) -> Bool {
    guard let first = lines.first, first.drop(while: { $0 == " " }).hasPrefix("while "),
      // A task's own cancellation comes from the test's next statement.
      !first.has("Task.isCancelled")
    else { return false }
    guard let start = first.lastIndex(of: "{") else { return false }
    // The body is on the same line, or on one line of its own.
    let rest = ([first[start...].dropFirst()] + lines.dropFirst().prefix(2)).joined(separator: " ")
    guard let end = rest.firstIndex(of: "}") else { return false }
    let words = rest[..<end].split(separator: " ").filter { $0 != "try" && $0 != "await" }
    return Self.pauses.contains { words.first?.hasPrefix($0) ?? false }
  }
}
