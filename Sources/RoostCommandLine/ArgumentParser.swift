// SPDX-License-Identifier: Apache-2.0

/// Finds the command that a command line calls, and parses its arguments.
struct ArgumentParser {
  /// The result of parsing.
  enum Outcome {
    /// Run a command.
    case run(Command, path: [String], ParsedArguments)
    /// Show the help of a command.
    case help(Command, path: [String])
    /// Print the version.
    case version(String)
  }

  /// A usage error, and the command where it occurred.
  struct Fault: Error {
    let error: UsageError
    let path: [String]
  }

  let root: Command

  func parse(_ words: [String]) throws(Fault) -> Outcome {
    var command = root
    var path = [root.name]
    var rest = words[...]
    if let version = root.version, words.first == "--version" { return .version(version) }
    while !command.subcommands.isEmpty {
      guard let word = rest.popFirst() else {
        throw Fault(error: UsageError("A command is missing."), path: path)
      }
      if word == "--help" || word == "-h" { return .help(command, path: path) }
      // `help query` is `query --help`.
      if word == "help" {
        guard !rest.isEmpty else { return .help(command, path: path) }
        rest.append("--help")
        continue
      }
      guard let next = command.subcommands.first(where: { $0.name == word }) else {
        throw Fault(error: unknown("command", word, command.subcommands.map(\.name)), path: path)
      }
      command = next
      path.append(word)
    }
    var reading = Reading(command: command, rest: rest)
    do throws(UsageError) {
      guard let parsed = try reading.run() else { return .help(command, path: path) }
      return .run(command, path: path, parsed)
    } catch {
      throw Fault(error: error, path: path)
    }
  }

  private func unknown(_ kind: String, _ word: String, _ known: [String]) -> UsageError {
    let near = NearNames.of(word, among: known)
    let hint = near.isEmpty ? "" : " Is \(near.joined(separator: " or ")) meant?"
    return UsageError("There is no \(kind) “\(word)”.\(hint)")
  }

  /// The words of one command, read from left to right.
  private struct Reading {
    let command: Command
    var rest: ArraySlice<String>
    var parsed = ParsedArguments()
    var places: [ParameterSyntax]

    init(command: Command, rest: ArraySlice<String>) {
      self.command = command
      self.rest = rest
      places = command.arguments
    }

    /// - Returns: nil when help is requested.
    mutating func run() throws(UsageError) -> ParsedArguments? {
      // A request for help takes precedence over usage errors.
      let end = rest.firstIndex(of: "--") ?? rest.endIndex
      if rest[..<end].contains(where: { $0 == "--help" || $0 == "-h" }) { return nil }
      var areOptionsOver = false
      while let word = rest.popFirst() {
        if !areOptionsOver, word == "--" {
          areOptionsOver = true
        } else if !areOptionsOver, word.first == "-", word != "-" {
          try take(option: word)
        } else {
          try take(argument: word)
        }
      }
      if let missing = places.first(where: { $0.isRequired && parsed.words[$0.name] == nil }) {
        throw .missing(missing.name)
      }
      for group in command.exclusive {
        let given = group.filter { parsed.words[$0] != nil }
        guard given.count < 2 else {
          throw UsageError("\(given.joined(separator: " and ")) exclude each other.")
        }
      }
      return parsed
    }

    private mutating func take(option word: String) throws(UsageError) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = command.options.first(where: { $0.name == name || $0.shortName == name })
      else { throw unknown(option: name, in: word) }
      guard option.isRepeated || parsed.words[option.name] == nil else {
        throw UsageError("\(option.name) is given twice.")
      }
      if option.kind == .flag {
        guard parts.count == 1 else { throw UsageError("\(option.name) takes no value.") }
        parsed.words[option.name] = [""]
        return
      }
      var value = parts.count == 2 ? String(parts[1]) : nil
      // A word that begins with `--` is not taken as a value; `--name=--value` can pass such a value.
      if value == nil, rest.first?.hasPrefix("--") == false { value = rest.popFirst() }
      guard let value else {
        throw UsageError("\(option.name) needs a value: \(option.title).")
      }
      try add(value, to: option)
    }

    /// Returns the error of an unknown option, which may be an argument that begins with a dash.
    private func unknown(option name: String, in word: String) -> UsageError {
      let near = NearNames.of(name, among: command.options.map(\.name))
      let isSentence = word.contains(where: \.isWhitespace)
      guard isSentence || near.isEmpty else {
        return UsageError("There is no option \(name). Is \(near.joined(separator: " or ")) meant?")
      }
      guard !places.isEmpty else { return UsageError("There is no option \(name).") }
      let quote = word.contains("'") ? "\"" : "'"
      return UsageError(
        "There is no option \(isSentence ? "“\(word)”" : name). An argument that begins with a dash "
          + "stands behind two dashes, after all options: -- \(quote)\(word)\(quote)")
    }

    private mutating func take(argument word: String) throws(UsageError) {
      guard let place = places.first else {
        throw UsageError("“\(word)” is one word too many.")
      }
      if !place.isRepeated { places.removeFirst() }
      try add(word, to: place)
    }

    private mutating func add(_ word: String, to syntax: ParameterSyntax) throws(UsageError) {
      do {
        try syntax.check(word)
      } catch {
        throw UsageError("\(syntax.name) \(error).")
      }
      parsed.words[syntax.name, default: []].append(word)
    }
  }
}
