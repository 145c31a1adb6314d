// SPDX-License-Identifier: Apache-2.0

/// The syntax of an argument, an option or a flag, for help texts, completion scripts and the parser.
///
/// ```swift
/// let names = command.parameters.map(\.syntax.name)
/// ```
public struct ParameterSyntax: Sendable {
  /// The name: `--limit` of an option or flag, `STORE` of an argument.
  public let name: String
  /// A name of one letter, such as `-n`; nil for none.
  public let shortName: String?
  /// The placeholder of the value in help texts, such as `COUNT`; empty for a flag.
  public let placeholder: String
  /// The purpose of the parameter.
  public let help: String
  /// The shell completion of the value.
  public let completion: Completion
  let kind: Kind
  var isRequired = false
  var isRepeated = false
  /// Throws for an invalid value, with the reason.
  var check: @Sendable (String) throws -> Void = { _ in }

  enum Kind: Sendable { case argument, option, flag }

  /// A shell completion for a value.
  ///
  /// ```swift
  /// CommandOption("--model", "FILE", "The model.", completion: .files)
  /// ```
  public enum Completion: Sendable, Equatable {
    /// No completion.
    case nothing
    /// File names.
    case files
    /// One of several words.
    case words([String])
  }

  static let help = ParameterSyntax(
    name: "--help", shortName: "-h", placeholder: "", help: "Shows this text.",
    completion: .nothing, kind: .flag)

  static let version = ParameterSyntax(
    name: "--version", shortName: nil, placeholder: "", help: "Prints the version.",
    completion: .nothing, kind: .flag)

  /// How help texts call it, as `--limit N` or `STORE`.
  var title: String {
    let names = shortName.map { "\($0), \(name)" } ?? name
    return placeholder.isEmpty || kind == .argument ? names : "\(names) \(placeholder)"
  }

  /// The parameter in the usage line.
  var usage: String {
    let name = isRepeated ? "\(name)..." : name
    return isRequired ? name : "[\(name)]"
  }
}

/// An argument, an option or a flag of a command.
///
/// ```swift
/// let parameters: [any CommandParameter] = [store, limit, isQuiet]
/// ```
public protocol CommandParameter: Sendable {
  /// How it is written.
  var syntax: ParameterSyntax { get }
}
