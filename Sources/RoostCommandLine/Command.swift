// SPDX-License-Identifier: Apache-2.0

/// The parameters and the action of a program or of one of its subcommands. Help texts and completion scripts are
/// generated from it.
///
/// ```swift
/// let greet = Command("greet", "Greets a person.", parameters: [name, isLoud]) { parsed, console in
///   console.print("Hello \(try parsed.required(name))" + (parsed[isLoud] ? "!" : "."))
/// }
/// ```
public struct Command: Sendable {
  /// The action of a command with its parsed words. It throws ``UsageError`` for words that cannot be combined, and
  /// any other error when it fails.
  public typealias Action = @Sendable (ParsedArguments, CommandConsole) throws -> Void

  /// The name on the command line.
  public let name: String
  /// The purpose of the command, in one sentence.
  public let summary: String
  /// Further help text, after the lists.
  public let discussion: String
  /// The arguments in order, and the options and flags.
  public let parameters: [any CommandParameter]
  /// Groups of options and flags that exclude each other.
  public let exclusive: [[String]]
  /// The subcommands.
  public let subcommands: [Command]
  /// The version that `--version` prints; nil for a command that is no program, or has none.
  var version: String?
  let action: Action?

  /// Makes a command with an action.
  ///
  /// - Parameters:
  ///   - name: The name on the command line.
  ///   - summary: The purpose of the command, in one sentence.
  ///   - discussion: Further help text.
  ///   - parameters: The arguments in order, and the options and flags.
  ///   - exclusive: Groups of options that exclude each other, such as `["--json", "--csv"]`.
  ///   - action: The action.
  public init(
    _ name: String, _ summary: String, discussion: String = "",
    parameters: [any CommandParameter] = [], exclusive: [[String]] = [], action: @escaping Action
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
    self.exclusive = exclusive
    subcommands = []
    self.action = action
  }

  /// Makes a command that only has subcommands.
  ///
  /// - Parameters:
  ///   - name: The name on the command line.
  ///   - summary: The purpose of its subcommands, in one sentence.
  ///   - discussion: Further help text.
  ///   - subcommands: The subcommands.
  public init(
    _ name: String, _ summary: String, discussion: String = "", subcommands: [Command]
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    parameters = []
    exclusive = []
    self.subcommands = subcommands
    action = nil
  }

  var arguments: [ParameterSyntax] {
    parameters.map(\.syntax).filter { $0.kind == .argument }
  }

  /// The options and flags, `--help` and `--version` last.
  var options: [ParameterSyntax] {
    parameters.map(\.syntax).filter { $0.kind != .argument } + [.help]
      + (version == nil ? [] : [.version])
  }
}
