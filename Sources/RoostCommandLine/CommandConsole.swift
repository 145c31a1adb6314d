// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The output of a command: the program's standard output and standard error, or functions of a test.
///
/// ```swift
/// console.print("3 records")
/// console.warn("the server is slow")
/// ```
public struct CommandConsole: Sendable {
  private let output: @Sendable (String) throws -> Void
  private let errors: @Sendable (String) -> Void
  /// Whether the standard error is a terminal, so that progress is shown there.
  public let showsProgress: Bool
  private let failure = Failure()

  /// The first error of a write; kept, because a report is not to be full of `try`.
  private final class Failure: Sendable {
    let first = Mutex<(any Error)?>(nil)
  }

  /// Makes a console.
  ///
  /// - Parameters:
  ///   - output: Writes text to the standard output.
  ///   - errors: Writes text to the standard error.
  ///   - showsProgress: Whether the standard error is a terminal.
  public init(
    output: @escaping @Sendable (String) throws -> Void,
    errors: @escaping @Sendable (String) -> Void, showsProgress: Bool = false
  ) {
    self.output = output
    self.errors = errors
    self.showsProgress = showsProgress
  }

  /// The program's own.
  public static var standard: CommandConsole {
    CommandConsole(
      output: { try FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) },
      // There is no other channel to report a failure on.
      errors: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
      showsProgress: isatty(2) == 1)
  }

  /// Prints a line.
  ///
  /// - Parameter line: The text, without its line feed.
  public func print(_ line: String) { write(line + "\n") }

  /// Prints text as it is. After an error nothing more is written, and the program exits with 1.
  ///
  /// - Parameter text: The text.
  public func write(_ text: String) {
    guard writeError == nil else { return }
    do {
      try output(text)
    } catch {
      failure.first.withLock { $0 = error }
    }
  }

  /// Prints a line to the standard error.
  ///
  /// - Parameter line: The text, without its line feed.
  public func warn(_ line: String) { errors(line + "\n") }

  /// Shows progress in a line that the next call replaces; does nothing when the output is no terminal.
  ///
  /// - Parameter line: The text; an empty one removes the line.
  public func showProgress(_ line: String) {
    if showsProgress { errors("\r\u{1B}[K" + line) }
  }

  /// The error of writing the output; nil for none.
  var writeError: (any Error)? { failure.first.withLock { $0 } }
}
