// SPDX-License-Identifier: Apache-2.0

/// What a program, or one of its subcommands, understands and does. Help texts and completion scripts are made of it.
///
/// ```swift
/// let greet = Command("greet", "Greets a person.", parameters: [name, isLoud]) { parsed, console in
///   console.print("Hello \(try parsed.required(name))" + (parsed[isLoud] ? "!" : "."))
/// }
/// ```
public struct Command: Sendable {
  /// What a command does with its parsed words. It throws ``UsageError`` for words that make no sense together, and
  /// any other error when it fails.
  public typealias Action = @Sendable (ParsedArguments, CommandConsole) throws -> Void

  /// The word by which it is called.
  public let name: String
  /// What it does, in one sentence.
  public let summary: String
  /// What else the help says, after the lists.
  public let discussion: String
  /// Its arguments in order, and its options and flags.
  public let parameters: [any CommandParameter]
  /// The names of options and flags of which at most one may be given, group by group.
  public let exclusive: [[String]]
  /// The commands below it.
  public let subcommands: [Command]
  let action: Action?

  /// Makes a command that does something.
  ///
  /// - Parameters:
  ///   - name: The word by which it is called.
  ///   - summary: What it does, in one sentence.
  ///   - discussion: What else the help says.
  ///   - parameters: Its arguments in order, and its options and flags.
  ///   - exclusive: The names of options of which at most one may be given, as `["--json", "--csv"]`.
  ///   - action: What it does.
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

  /// Makes a command that only has others below it.
  ///
  /// - Parameters:
  ///   - name: The word by which it is called.
  ///   - summary: What its subcommands are for, in one sentence.
  ///   - discussion: What else the help says.
  ///   - subcommands: The commands below it.
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

  /// The options and flags, `--help` last.
  var options: [ParameterSyntax] {
    parameters.map(\.syntax).filter { $0.kind != .argument } + [.help]
  }
}
