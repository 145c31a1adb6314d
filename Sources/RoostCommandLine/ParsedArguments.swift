// SPDX-License-Identifier: Apache-2.0

/// The parsed words of a command line, accessed by the parameters of the command.
///
/// ```swift
/// let count = parsed[limit] ?? 20
/// let isQuiet = parsed[quiet]
/// ```
public struct ParsedArguments: Sendable {
  /// The words of each parameter, by its name; a given flag has one empty word.
  var words: [String: [String]] = [:]

  init() {}

  /// Whether a flag was given.
  ///
  /// - Parameter flag: A flag of the command.
  public subscript(flag: CommandFlag) -> Bool { words[flag.syntax.name] != nil }

  /// The value of an option; nil when it was not given.
  ///
  /// - Parameter option: An option of the command.
  public subscript<Value>(option: CommandOption<Value>) -> Value? { all(option).last }

  /// The value of an argument; nil when it was not given.
  ///
  /// - Parameter argument: An argument of the command.
  public subscript<Value>(argument: CommandArgument<Value>) -> Value? { all(argument).first }

  /// The values of an option that may be given several times.
  ///
  /// - Parameter option: An option of the command.
  public func all<Value>(_ option: CommandOption<Value>) -> [Value] {
    // Every word was tried before it came here.
    words[option.syntax.name, default: []].compactMap { try? option.parse($0) }
  }

  /// The values of an argument that takes all words that are left.
  ///
  /// - Parameter argument: An argument of the command.
  public func all<Value>(_ argument: CommandArgument<Value>) -> [Value] {
    words[argument.syntax.name, default: []].compactMap { try? argument.parse($0) }
  }

  /// The value of an argument that must be there.
  ///
  /// - Parameter argument: An argument of the command.
  /// - Throws: ``UsageError`` when it was not given.
  public func required<Value>(_ argument: CommandArgument<Value>) throws(UsageError) -> Value {
    guard let value = self[argument] else { throw .missing(argument.syntax.name) }
    return value
  }

  /// The value of an option that must be there.
  ///
  /// - Parameter option: An option of the command.
  /// - Throws: ``UsageError`` when it was not given.
  public func required<Value>(_ option: CommandOption<Value>) throws(UsageError) -> Value {
    guard let value = self[option] else { throw .missing(option.syntax.title) }
    return value
  }
}

/// A usage error: the program prints the reason, and exits with 2.
///
/// ```swift
/// guard first <= last else { throw UsageError("--from is behind --to.") }
/// ```
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message, a sentence.
  public let description: String

  /// Makes an error.
  ///
  /// - Parameter description: The message, a sentence.
  public init(_ description: String) {
    self.description = description
  }

  static func missing(_ name: String) -> UsageError { UsageError("\(name) is missing.") }
}

/// Ends a command that has completed and found a problem, or that has reported the reason itself: the program exits
/// with 1.
///
/// ```swift
/// if !findings.isEmpty { throw CommandFailure() }
/// ```
public struct CommandFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text for the standard error; empty for none.
  public let description: String

  /// Makes an error.
  ///
  /// - Parameter description: The text for the standard error; empty for none.
  public init(_ description: String = "") {
    self.description = description
  }
}
