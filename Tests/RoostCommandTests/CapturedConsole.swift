// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import Synchronization

/// A console that captures the output of a program for a test.
final class CapturedConsole: Sendable {
  private let texts = Mutex<(output: String, errors: String)>(("", ""))

  var output: String { texts.withLock { $0.output } }
  var errors: String { texts.withLock { $0.errors } }
  /// The lines of the standard output.
  var lines: [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var console: CommandConsole {
    CommandConsole(
      output: { text in self.texts.withLock { $0.output += text } },
      errors: { text in self.texts.withLock { $0.errors += text } })
  }
}
