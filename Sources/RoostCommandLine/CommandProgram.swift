// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that is one command, or several below one: parses its words, runs, and answers with an exit code.
///
/// The code is 0 after success, 1 after a failure and 2 for words that make no sense. `--help` is understood at each
/// place, `--version` by a program that is made with a version, and a program with subcommands also has `help` and
/// `completion`.
///
/// ```swift
/// exit(CommandProgram(root).run(Array(CommandLine.arguments.dropFirst()), .standard))
/// ```
public struct CommandProgram: Sendable {
  /// The root command.
  public let root: Command
  private let describe: @Sendable (any Error) -> String

  /// Makes a program.
  ///
  /// - Parameters:
  ///   - root: The root command.
  ///   - describe: Makes the text of an error that a command throws.
  public init(
    _ root: Command, describe: @escaping @Sendable (any Error) -> String = Self.describe
  ) {
    self.root = root.subcommands.isEmpty ? root : root.withCompletion
    self.describe = describe
  }

  /// Makes a program that prints its version when it is called with `--version`.
  ///
  /// ```swift
  /// let program = CommandProgram(root, version: "1.2.0")
  /// ```
  /// - Parameters:
  ///   - root: The root command.
  ///   - version: The version, as `1.2.0`; it is printed after the name of the root command.
  ///   - describe: Makes the text of an error that a command throws.
  public init(
    _ root: Command, version: String,
    describe: @escaping @Sendable (any Error) -> String = Self.describe
  ) {
    var root = root
    root.version = version
    self.init(root, describe: describe)
  }

  /// Returns the text of an error: its localized description where it has one of its own, and path and reason of an
  /// error of the file system.
  ///
  /// - Parameter error: Any error.
  public static func describe(_ error: any Error) -> String {
    SystemErrorText(error)?.text ?? (error as? any LocalizedError)?.errorDescription ?? "\(error)"
  }

  /// Returns the text of an error without the path that an error of the file system names, for a message that has the
  /// path already.
  ///
  /// - Parameter error: Any error.
  package static func reason(of error: any Error) -> String {
    SystemErrorText(error)?.reason ?? describe(error)
  }

  /// Whether an error is one of the operating system or of Foundation's files.
  ///
  /// - Parameter error: Any error.
  package static func isSystemError(_ error: any Error) -> Bool { SystemErrorText(error) != nil }

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - console: The console for the output.
  /// - Returns: The exit code.
  public func run(_ words: [String], _ console: CommandConsole) -> Int32 {
    do throws(ArgumentParser.Fault) {
      switch try ArgumentParser(root: root).parse(words) {
      case .help(let command, let path):
        console.write(CommandHelp(command: command, path: path).text)
        return code(0, console)
      case .version(let version):
        console.print("\(root.name) \(version)")
        return code(0, console)
      case .run(let command, let path, let parsed):
        return code(run(command, path, parsed, console), console)
      }
    } catch {
      return refuse(error.error, error.path, console)
    }
  }

  private func run(
    _ command: Command, _ path: [String], _ parsed: ParsedArguments, _ console: CommandConsole
  ) -> Int32 {
    do {
      try command.action?(parsed, console)
      return 0
    } catch let error as UsageError {
      return refuse(error, path, console)
    } catch let failure as CommandFailure {
      if !failure.description.isEmpty { console.warn("\(root.name): \(failure.description)") }
      return 1
    } catch {
      console.warn("\(root.name): \(describe(error))")
      return 1
    }
  }

  private func refuse(_ error: UsageError, _ path: [String], _ console: CommandConsole) -> Int32 {
    let name = path.joined(separator: " ")
    console.warn("\(name): \(error)")
    console.warn("“\(name) --help” says what it takes.")
    return 2
  }

  /// Returns the exit code, or 1 when the output could not be written.
  private func code(_ code: Int32, _ console: CommandConsole) -> Int32 {
    guard let error = console.writeError else { return code }
    console.warn("\(root.name): The output cannot be written: \(describe(error))")
    return 1
  }
}

extension Command {
  /// The command with a further subcommand, which prints completion scripts.
  fileprivate var withCompletion: Command {
    let shell = CommandArgument<CompletionScript.Shell>(
      "SHELL", "bash or zsh.", completion: .words(CompletionScript.Shell.allCases.map(\.rawValue))
    ) { word in
      guard let shell = CompletionScript.Shell(rawValue: word) else {
        throw UsageError("is bash or zsh, not “\(word)”")
      }
      return shell
    }
    let root = self
    let discussion = """
      For bash: source <(\(name) completion bash)
      For zsh:  \(name) completion zsh > a file _\(name) in a folder of $fpath
      """
    let completion = Command(
      "completion", "Prints a script that completes words in a shell.", discussion: discussion,
      parameters: [shell]
    ) { parsed, console in
      let script = CompletionScript(root: root.withCompletion)
      console.write(script.text(for: try parsed.required(shell)))
    }
    var complete = Command(
      name, summary, discussion: self.discussion, subcommands: subcommands + [completion])
    complete.version = version
    return complete
  }
}
