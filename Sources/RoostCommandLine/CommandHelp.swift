// SPDX-License-Identifier: Apache-2.0

/// The text that `--help` shows.
struct CommandHelp {
  let command: Command
  let path: [String]
  /// The widest line, in characters.
  private static let width = 100

  var text: String {
    var sections = ["usage: " + usage, command.summary]
    if !command.subcommands.isEmpty {
      sections.append(list("commands:", command.subcommands.map { ($0.name, $0.summary) }))
    }
    if !command.arguments.isEmpty {
      sections.append(list("arguments:", command.arguments.map { ($0.name, help(of: $0)) }))
    }
    if command.subcommands.isEmpty || command.version != nil {
      sections.append(list("options:", command.options.map { ($0.title, help(of: $0)) }))
    }
    if !command.discussion.isEmpty { sections.append(command.discussion) }
    if !command.subcommands.isEmpty {
      sections.append("“\(path.joined(separator: " ")) COMMAND --help” says what a command takes.")
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private var usage: String {
    let name = path.joined(separator: " ")
    guard command.subcommands.isEmpty else { return name + " COMMAND ..." }
    return ([name, "[options]"] + command.arguments.map(\.usage)).joined(separator: " ")
  }

  private func help(of parameter: ParameterSyntax) -> String {
    guard case .words(let words) = parameter.completion else { return parameter.help }
    // Words that the text names already need no list.
    guard !words.allSatisfy(parameter.help.contains) else { return parameter.help }
    return parameter.help + " One of " + words.joined(separator: ", ") + "."
  }

  private func list(_ title: String, _ entries: [(String, String)]) -> String {
    let width = entries.map(\.0.count).filter { $0 <= 24 }.max() ?? 0
    var lines = [title]
    for (name, help) in entries {
      let indent = String(repeating: " ", count: width + 4)
      var first = "  " + name
      if name.count <= width {
        first += String(repeating: " ", count: width - name.count + 2)
      } else {
        lines.append(first)
        first = indent
      }
      let texts = wrapped(help, to: Self.width - indent.count)
      lines.append(first + (texts.first ?? ""))
      lines += texts.dropFirst().map { indent + $0 }
    }
    return lines.joined(separator: "\n")
  }

  private func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
