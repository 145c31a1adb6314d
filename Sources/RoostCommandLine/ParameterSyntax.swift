// SPDX-License-Identifier: Apache-2.0

/// How an argument, an option or a flag is written: what help texts, completion scripts and the parser need to know.
///
/// ```swift
/// let names = command.parameters.map(\.syntax.name)
/// ```
public struct ParameterSyntax: Sendable {
  /// The name: `--limit` of an option or flag, `STORE` of an argument.
  public let name: String
  /// A name of one letter, as `-n`; nil for none.
  public let shortName: String?
  /// What stands for the value in help texts, as `COUNT`; empty for a flag.
  public let placeholder: String
  /// What it is for.
  public let help: String
  /// What can be completed.
  public let completion: Completion
  let kind: Kind
  var isRequired = false
  var isRepeated = false
  /// Refuses a value, with the reason.
  var check: @Sendable (String) throws -> Void = { _ in }

  enum Kind: Sendable { case argument, option, flag }

  /// What a shell offers for a value.
  ///
  /// ```swift
  /// CommandOption("--model", "FILE", "The model.", completion: .files)
  /// ```
  public enum Completion: Sendable, Equatable {
    /// Nothing.
    case nothing
    /// Names of files.
    case files
    /// One of several words.
    case words([String])
  }

  static let help = ParameterSyntax(
    name: "--help", shortName: "-h", placeholder: "", help: "Shows this text.",
    completion: .nothing, kind: .flag)

  /// How help texts call it, as `--limit N` or `STORE`.
  var title: String {
    let names = shortName.map { "\($0), \(name)" } ?? name
    return placeholder.isEmpty || kind == .argument ? names : "\(names) \(placeholder)"
  }

  /// How it stands in the line of usage.
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
