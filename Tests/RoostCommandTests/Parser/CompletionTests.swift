// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import Testing

/// Tests of the shell completion scripts.
@Suite struct CompletionTests {
  private static let program: CommandProgram = {
    let file = CommandArgument("FILE", "It's a file.", completion: .files)
    let format = CommandOption(
      "--format", "NAME", "The format: [a] or b.", completion: .words(["table", "text"]))
    let show = Command(
      "show", "Shows: a file.", parameters: [file, format, CommandFlag("--loud", "Shouts.")]
    ) { _, _ in }
    return CommandProgram(Command("tool", "Does things.", subcommands: [show]))
  }()

  private func script(_ shell: String) -> String {
    let captured = CapturedConsole()
    #expect(Self.program.run(["completion", shell], captured.console) == 0)
    return captured.output
  }

  /// Returns the completions that bash offers for the last word.
  private func offers(_ words: [String]) throws -> [String] {
    let lines = [
      script("bash"), "COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))",
      "COMP_CWORD=\(words.count - 1)", "_tool", "printf '%s\\n' \"${COMPREPLY[@]}\"",
    ]
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["--norc", "-c", lines.joined(separator: "\n")]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("bash is offered commands, options and the words of an option's value")
  func bash() throws {
    #expect(try offers(["tool", "s"]) == ["show"])
    #expect(try offers(["tool", ""]) == ["show", "completion"])
    #expect(try offers(["tool", "show", "--"]) == ["--format", "--loud", "--help"])
    #expect(try offers(["tool", "show", "--format", "t"]) == ["table", "text"])
    #expect(try offers(["tool", "show", "--format", "ta"]) == ["table"])
    #expect(try offers(["tool", "completion", ""]) == ["bash", "zsh"])
    #expect(try offers(["tool", "show", "/et"]) == ["/etc"])
  }

  @Test("zsh gets a function for each command, with descriptions in which nothing is special")
  func zsh() {
    let text = script("zsh")
    #expect(text.hasPrefix("#compdef tool\n"))
    #expect(text.contains(#"'show:Shows\: a file.'"#))
    #expect(text.contains("_tool_show() {\n  _arguments -s "))
    #expect(text.contains(#"'--format[The format\: \[a\] or b.]:NAME:(table text)'"#))
    #expect(text.contains("'--loud[Shouts.]'"))
    #expect(text.contains("':FILE:_files'"))
  }

  @Test("another shell is refused")
  func others() {
    let captured = CapturedConsole()
    #expect(Self.program.run(["completion", "fish"], captured.console) == 2)
    #expect(captured.errors.contains("SHELL is bash or zsh, not “fish”."))
  }
}
