// SPDX-License-Identifier: Apache-2.0

public import RoostCommandLine

/// The program `roost`.
///
/// ```swift
/// exit(RoostProgram.run(["inspect", "hr.sqlite"], .standard))
/// ```
public enum RoostProgram {
  /// Does what a command line asks for.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - console: Where it prints.
  /// - Returns: The exit code: 0 after success, 1 after a failure, 2 for words that make no sense.
  public static func run(_ words: [String], _ console: CommandConsole) -> Int32 {
    CommandProgram(Command("roost", "x", subcommands: [])).run(words, console)
  }
}
