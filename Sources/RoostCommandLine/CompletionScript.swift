// SPDX-License-Identifier: Apache-2.0

/// A shell script that completes the command lines of a program.
struct CompletionScript {
  /// The supported shells.
  enum Shell: String, CaseIterable, Sendable { case bash, zsh }

  let root: Command

  func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    }
  }

  /// A command and the words that lead to it.
  private struct Place {
    let command: Command
    let path: [String]
  }

  private var places: [Place] {
    var found: [Place] = []
    var waiting = [Place(command: root, path: [])]
    while let place = waiting.popLast() {
      found.append(place)
      for command in place.command.subcommands.reversed() {
        waiting.append(Place(command: command, path: place.path + [command.name]))
      }
    }
    return found
  }

  /// A text as one word of a shell.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }

  private var functionName: String {
    "_" + root.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }
}

// MARK: - bash

extension CompletionScript {
  private var bash: String {
    let paths = places.dropFirst().map { Self.quoted($0.path.joined(separator: " ")) }
    var values: [String] = []
    var words: [String] = []
    for place in places {
      let path = place.path.joined(separator: " ")
      for option in place.command.options where option.kind == .option {
        let names = [option.name, option.shortName].compactMap { $0 }
        let pattern = names.map { Self.quoted("\(path)|\($0)") }.joined(separator: "|")
        values.append("    \(pattern)) \(bashReply(option.completion)); return ;;")
      }
      words.append("    \(Self.quoted(path))) \(bashWords(of: place.command)) ;;")
    }
    return """
      # Completes the words of \(root.name) in bash.
      \(functionName)() {
        local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
        local path="" options="" others="" files="" i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "${path:+$path }${COMP_WORDS[i]}" in
          \(paths.joined(separator: "|"))) path="${path:+$path }${COMP_WORDS[i]}" ;;
          esac
        done
        COMPREPLY=()
        case "$path|$before" in
      \(values.joined(separator: "\n"))
        esac
        case "$path" in
      \(words.joined(separator: "\n"))
        esac
        if [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$word"))
        else
          COMPREPLY=($(compgen -W "$others" -- "$word"))
          [[ -z $files ]] || COMPREPLY+=($(compgen -f -- "$word"))
        fi
      }
      complete -o filenames -F \(functionName) \(Self.quoted(root.name))

      """
  }

  private func bashReply(_ completion: ParameterSyntax.Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .files: #"COMPREPLY=($(compgen -f -- "$word"))"#
    case .words(let words):
      "COMPREPLY=($(compgen -W \(Self.quoted(words.joined(separator: " "))) -- \"$word\"))"
    }
  }

  private func bashWords(of command: Command) -> String {
    let options = command.options.flatMap { [$0.name, $0.shortName].compactMap { $0 } }
    var others = command.subcommands.map(\.name)
    var offersFiles = false
    for argument in command.arguments {
      switch argument.completion {
      case .nothing: continue
      case .files: offersFiles = true
      case .words(let words): others += words
      }
    }
    return "options=\(Self.quoted(options.joined(separator: " "))) "
      + "others=\(Self.quoted(others.joined(separator: " "))) files=\(offersFiles ? "yes" : "''")"
  }
}

// MARK: - zsh

extension CompletionScript {
  private var zsh: String {
    var functions = places.map { zshFunction(of: $0) }
    functions.append(
      """
      if [[ $funcstack[1] == \(functionName) ]]; then \(functionName) "$@"
      else compdef \(functionName) \(root.name); fi
      """)
    return "#compdef \(root.name)\n# Completes the words of \(root.name) in zsh.\n\n"
      + functions.joined(separator: "\n\n") + "\n"
  }

  private func zshName(of path: [String]) -> String {
    ([functionName] + path.map { $0.replacing("-", with: "_") }).joined(separator: "_")
  }

  private func zshFunction(of place: Place) -> String {
    let name = zshName(of: place.path)
    guard !place.command.subcommands.isEmpty else {
      let arguments =
        place.command.options.flatMap(zshOption) + place.command.arguments.map(zshArgument)
      return "\(name)() {\n  _arguments -s "
        + arguments.map(Self.quoted).joined(separator: " \\\n    ") + "\n}"
    }
    let commands = place.command.subcommands.map {
      Self.quoted("\($0.name):\(zshText($0.summary))")
    }
    let cases = place.command.subcommands.map {
      "    \($0.name)) \(zshName(of: place.path + [$0.name])) ;;"
    }
    return """
      \(name)() {
        local state line
        local -a commands=(
          \(commands.joined(separator: "\n    "))
        )
        _arguments -C '1:command:->command' '*::argument:->argument'
        case $state in
        command) _describe 'command' commands ;;
        argument)
          case $words[1] in
      \(cases.joined(separator: "\n"))
          esac ;;
        esac
      }
      """
  }

  private func zshOption(_ option: ParameterSyntax) -> [String] {
    let value =
      option.kind == .flag
      ? "" : ":\(zshText(option.placeholder)):\(zshAction(option.completion))"
    let repeated = option.isRepeated ? "*" : ""
    return [option.name, option.shortName].compactMap { $0 }.map {
      "\(repeated)\($0)[\(zshText(option.help))]\(value)"
    }
  }

  private func zshArgument(_ argument: ParameterSyntax) -> String {
    let colon = argument.isRequired ? ":" : "::"
    return "\(argument.isRepeated ? "*" : "")\(colon)\(zshText(argument.name)):"
      + zshAction(argument.completion)
  }

  private func zshAction(_ completion: ParameterSyntax.Completion) -> String {
    switch completion {
    case .nothing: ""
    case .files: "_files"
    case .words(let words): "(" + words.joined(separator: " ") + ")"
    }
  }

  /// Escapes the special characters of zsh's descriptions.
  private func zshText(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
