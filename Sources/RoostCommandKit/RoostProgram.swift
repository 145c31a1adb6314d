// SPDX-License-Identifier: Apache-2.0

public import RoostCommandLine

/// The program `roost`.
///
/// ```swift
/// exit(RoostProgram.run(["inspect", "hr.sqlite"], .standard))
/// ```
public enum RoostProgram {
  /// The version of the program and of the library that it is built with, the newest of the changelog.
  public static let version = "0.1.0"

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - console: The console for the output.
  /// - Returns: The exit code: 0 after success, 1 after a failure, 2 for invalid usage.
  public static func run(_ words: [String], _ console: CommandConsole) -> Int32 {
    CommandProgram(root, version: version, describe: describe).run(words, console)
  }

  private static let root = Command(
    "roost", "Looks into stores of Roost, copies and checks them.",
    discussion: """
      A store is named by its kind and path, as sqlite:hr.sqlite, lmdb:hr.lmdb or binary:hr.binary; by a
      path alone, when the file is there; or by a URI, as postgresql://user@host/database?schema=hr.
      """,
    subcommands: [
      InspectCommand.command, QueryCommand.query, QueryCommand.count, QueryCommand.explain,
      BrowseCommand.command,
      CopyCommand.copy, CopyCommand.backup, CopyCommand.restore, CheckCommand.command,
      ExportCommand.command, ImportCommand.command, ImportCommand.seed,
      DiagramCommand.command, ViewsCommand.command, DiffCommand.command, LockCommand.command,
      MigrateCommand.command,
      MappingCommand.command, NewStoreCommand.command,
    ])

  /// Returns the message of an error with its remedy, and the messages of its underlying errors.
  private static func describe(_ error: any Error) -> String {
    ErrorReport(error)?.text ?? CommandProgram.describe(error)
  }
}
