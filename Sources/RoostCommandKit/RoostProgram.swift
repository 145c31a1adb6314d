// SPDX-License-Identifier: Apache-2.0

public import RoostCommandLine
import RoostModel

/// The program `roost`.
///
/// ```swift
/// exit(RoostProgram.run(["inspect", "hr.sqlite"], .standard))
/// ```
public enum RoostProgram {
  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - console: The console for the output.
  /// - Returns: The exit code: 0 after success, 1 after a failure, 2 for invalid usage.
  public static func run(_ words: [String], _ console: CommandConsole) -> Int32 {
    CommandProgram(root, describe: describe).run(words, console)
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

  /// Returns the message of an error, and those of its underlying errors.
  private static func describe(_ error: any Error) -> String {
    guard let error = error as? PersistenceError else { return CommandProgram.describe(error) }
    var lines = [CommandProgram.describe(error)]
    for part in error.underlyingErrors.prefix(20) where part.message != error.message {
      lines.append("- " + CommandProgram.describe(part))
    }
    return lines.joined(separator: "\n")
  }
}
