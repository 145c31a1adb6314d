// SPDX-License-Identifier: Apache-2.0

/// An option with a value, as `--limit 10` or `--limit=10`.
///
/// ```swift
/// let limit = CommandOption("--limit", "COUNT", "How many are shown.", in: 1...1000)
/// if let count = parsed[limit] { request.fetchLimit = count }
/// ```
public struct CommandOption<Value: Sendable>: CommandParameter {
  /// How it is written.
  public private(set) var syntax: ParameterSyntax
  let parse: @Sendable (String) throws -> Value

  /// Makes an option with a function that parses its values.
  ///
  /// - Parameters:
  ///   - name: The name, with its two dashes.
  ///   - placeholder: The placeholder of the value in help texts.
  ///   - help: The purpose of the option.
  ///   - short: A name of one letter.
  ///   - isRepeated: Whether it may be given several times; ``ParsedArguments/all(_:)-(CommandOption<Value>)`` then
  ///     has all values.
  ///   - completion: The shell completion.
  ///   - parse: Parses a word; the error that it throws is shown after the name of the option.
  public init(
    _ name: String, _ placeholder: String, _ help: String, short: Character? = nil,
    isRepeated: Bool = false, completion: ParameterSyntax.Completion = .nothing,
    parse: @escaping @Sendable (String) throws -> Value
  ) {
    self.parse = parse
    syntax = ParameterSyntax(
      name: name, shortName: short.map { "-\($0)" }, placeholder: placeholder, help: help,
      completion: completion, kind: .option)
    syntax.isRepeated = isRepeated
    syntax.check = { _ = try parse($0) }
  }
}

extension CommandOption where Value == String {
  /// Makes an option whose value is any text.
  ///
  /// - Parameters:
  ///   - name: The name, with its two dashes.
  ///   - placeholder: The placeholder of the value in help texts.
  ///   - help: The purpose of the option.
  ///   - short: A name of one letter.
  ///   - isRepeated: Whether it may be given several times.
  ///   - completion: The shell completion.
  public init(
    _ name: String, _ placeholder: String, _ help: String, short: Character? = nil,
    isRepeated: Bool = false, completion: ParameterSyntax.Completion = .nothing
  ) {
    self.init(
      name, placeholder, help, short: short, isRepeated: isRepeated, completion: completion
    ) { $0 }
  }
}

extension CommandOption where Value == Int {
  /// Makes an option whose value is a whole number.
  ///
  /// - Parameters:
  ///   - name: The name, with its two dashes.
  ///   - placeholder: The placeholder of the value in help texts.
  ///   - help: The purpose of the option.
  ///   - short: A name of one letter.
  ///   - range: The valid numbers.
  public init(
    _ name: String, _ placeholder: String, _ help: String, short: Character? = nil,
    in range: ClosedRange<Int>
  ) {
    self.init(name, placeholder, help, short: short) { word in
      guard let number = Int(word), range.contains(number) else {
        let bounds =
          range.upperBound == .max
          ? "a whole number from \(range.lowerBound)"
          : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        throw UsageError("takes \(bounds), not “\(word)”")
      }
      return number
    }
  }
}

extension CommandOption where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// Makes an option whose value is one of several words: the raw values of an enumeration.
  ///
  /// - Parameters:
  ///   - name: The name, with its two dashes.
  ///   - placeholder: The placeholder of the value in help texts.
  ///   - help: The purpose of the option.
  ///   - short: A name of one letter.
  ///   - isRepeated: Whether it may be given several times.
  public init(
    _ name: String, _ placeholder: String, _ help: String, short: Character? = nil,
    isRepeated: Bool = false
  ) {
    let known = Value.allCases.map(\.rawValue)
    self.init(
      name, placeholder, help, short: short, isRepeated: isRepeated, completion: .words(known)
    ) { word in
      guard let value = Value(rawValue: word) else {
        throw UsageError("takes \(known.joined(separator: ", ")), not “\(word)”")
      }
      return value
    }
  }
}

/// An option without a value, as `--json`.
///
/// ```swift
/// let isJSON = CommandFlag("--json", "Prints JSON.")
/// if parsed[isJSON] { console.print(json) }
/// ```
public struct CommandFlag: CommandParameter {
  /// How it is written.
  public let syntax: ParameterSyntax

  /// Makes a flag.
  ///
  /// - Parameters:
  ///   - name: The name, with its two dashes.
  ///   - help: The purpose of the flag.
  ///   - short: A name of one letter.
  public init(_ name: String, _ help: String, short: Character? = nil) {
    syntax = ParameterSyntax(
      name: name, shortName: short.map { "-\($0)" }, placeholder: "", help: help,
      completion: .nothing, kind: .flag)
  }
}

/// A word that has its meaning from its place.
///
/// ```swift
/// let file = CommandArgument("FILE", "The file.", completion: .files)
/// let url = URL(filePath: try parsed.required(file))
/// ```
public struct CommandArgument<Value: Sendable>: CommandParameter {
  /// How it is written.
  public private(set) var syntax: ParameterSyntax
  let parse: @Sendable (String) throws -> Value

  /// Makes an argument with a function that parses its values.
  ///
  /// - Parameters:
  ///   - name: The name in help texts, in capitals.
  ///   - help: The purpose of the argument.
  ///   - isRequired: Whether it must be given. Optional arguments come last.
  ///   - isRepeated: Whether it takes all remaining words; only the last argument can.
  ///   - completion: The shell completion.
  ///   - parse: Parses a word; the error that it throws is shown after the name of the argument.
  public init(
    _ name: String, _ help: String, isRequired: Bool = true, isRepeated: Bool = false,
    completion: ParameterSyntax.Completion = .nothing,
    parse: @escaping @Sendable (String) throws -> Value
  ) {
    self.parse = parse
    syntax = ParameterSyntax(
      name: name, shortName: nil, placeholder: name, help: help, completion: completion,
      kind: .argument)
    syntax.isRequired = isRequired
    syntax.isRepeated = isRepeated
    syntax.check = { _ = try parse($0) }
  }
}

extension CommandArgument where Value == String {
  /// Makes an argument that is any text.
  ///
  /// - Parameters:
  ///   - name: The name in help texts, in capitals.
  ///   - help: The purpose of the argument.
  ///   - isRequired: Whether it must be given.
  ///   - isRepeated: Whether it takes all remaining words.
  ///   - completion: The shell completion.
  public init(
    _ name: String, _ help: String, isRequired: Bool = true, isRepeated: Bool = false,
    completion: ParameterSyntax.Completion = .nothing
  ) {
    self.init(
      name, help, isRequired: isRequired, isRepeated: isRepeated, completion: completion
    ) { $0 }
  }
}
