// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import Testing

/// Tests of the command line parser that all programs of the repository use.
@Suite struct ArgumentParserTests {
  private enum Colour: String, CaseIterable { case red, green }

  private static let file = CommandArgument("FILE", "A file.", completion: .files)
  private static let rest = CommandArgument(
    "WORD", "More words.", isRequired: false, isRepeated: true)
  private static let limit = CommandOption(
    "--limit", "COUNT", "How many.", short: "n", in: 1...100)
  private static let colour = CommandOption<Colour>("--colour", "NAME", "Which colour.")
  private static let name = CommandOption("--name", "TEXT", "A name.", isRepeated: true)
  private static let isLoud = CommandFlag("--loud", "Shouts.", short: "l")
  private static let isQuiet = CommandFlag("--quiet", "Whispers.")

  private static let show = Command(
    "show", "Shows a file.", discussion: "It is not changed.",
    parameters: [file, rest, limit, colour, name, isLoud, isQuiet],
    exclusive: [["--loud", "--quiet"]]
  ) { parsed, console in
    let words = [
      "file \(try parsed.required(file))", "rest \(parsed.all(rest))",
      "limit \(parsed[limit].map(String.init) ?? "none")",
      "colour \(parsed[colour]?.rawValue ?? "none")", "names \(parsed.all(name))",
      "loud \(parsed[isLoud])", "quiet \(parsed[isQuiet])",
    ]
    console.print(words.joined(separator: "; "))
  }

  private static let fail = Command("fail", "Fails.") { _, _ in
    throw CommandFailure("It was to fail.")
  }

  private static let refuse = Command("refuse", "Refuses.") { _, _ in
    throw UsageError("The words do not go together.")
  }

  private static let program = CommandProgram(
    Command(
      "tool", "Does things.",
      subcommands: [show, fail, refuse, Command("set", "Sets things.", subcommands: [fail])]))

  private func run(_ words: String...) -> (code: Int32, output: String, errors: String) {
    let captured = CapturedConsole()
    let code = Self.program.run(words, captured.console)
    return (code, captured.output, captured.errors)
  }

  @Test("options may stand before and after arguments, with a blank or an equals sign")
  func options() {
    let wanted =
      "file a; rest [\"b\"]; limit 3; colour green; names []; loud true; quiet false\n"
    #expect(run("show", "a", "--limit", "3", "b", "--colour=green", "--loud").output == wanted)
    #expect(run("show", "-l", "-n", "3", "--colour", "green", "a", "b").output == wanted)
  }

  @Test("what is not given has no value")
  func nothing() {
    let result = run("show", "a")
    #expect(result.code == 0)
    #expect(
      result.output
        == "file a; rest []; limit none; colour none; names []; loud false; quiet false\n"
    )
    #expect(result.errors.isEmpty)
  }

  @Test("an option that may be repeated has all its values, in order")
  func repeated() {
    #expect(run("show", "a", "--name", "x", "--name=").output.contains(#"names ["x", ""]"#))
  }

  @Test("after two dashes every word is an argument, and a dash alone always is")
  func dashes() {
    #expect(run("show", "--", "--loud", "-x").output.contains(#"file --loud; rest ["-x"]"#))
    #expect(run("show", "-", "a").output.contains("file -;"))
    #expect(run("show", "a", "--name", "-age").output.contains(#"names ["-age"]"#))
  }

  @Test(
    "words that make no sense end with 2 and say what is wrong",
    arguments: [
      (["show"], "tool show: FILE is missing."),
      (["show", "a", "--limit"], "tool show: --limit needs a value: -n, --limit COUNT."),
      (["show", "a", "--limit", "--loud"], "tool show: --limit needs a value"),
      (
        ["show", "a", "--limit", "0"],
        "tool show: --limit takes a whole number from 1 to 100, not “0”."
      ),
      (
        ["show", "a", "--limit", "x"],
        "tool show: --limit takes a whole number from 1 to 100, not “x”."
      ),
      (["show", "a", "--colour", "blue"], "tool show: --colour takes red, green, not “blue”."),
      (["show", "a", "--loud=yes"], "tool show: --loud takes no value."),
      (["show", "a", "--loud", "--loud"], "tool show: --loud is given twice."),
      (["show", "a", "--limit=1", "-n", "2"], "tool show: --limit is given twice."),
      (["show", "a", "--loud", "--quiet"], "tool show: --loud and --quiet exclude each other."),
      (["show", "a", "--limt", "3"], "tool show: There is no option --limt. Is --limit meant?"),
      (["show", "a", "-z"], "tool show: There is no option -z."),
      (["fail", "a"], "tool fail: “a” is one word too many."),
      (["shwo"], "tool: There is no command “shwo”. Is show meant?"),
      (["xyzzy"], "tool: There is no command “xyzzy”."),
      ([], "tool: A command is missing."), (["set"], "tool set: A command is missing."),
      (["refuse"], "tool refuse: The words do not go together."),
    ])
  func usage(words: [String], message: String) {
    let captured = CapturedConsole()
    #expect(Self.program.run(words, captured.console) == 2)
    #expect(captured.errors.hasPrefix(message), "\(captured.errors)")
    #expect(captured.errors.contains("--help” says what it takes."))
    #expect(captured.output.isEmpty)
  }

  @Test("an argument that begins with a dash is told to stand behind two dashes")
  func dashHint() {
    let sentence = run("show", "-1 < age")
    #expect(sentence.code == 2)
    #expect(
      sentence.errors.hasPrefix(
        "tool show: There is no option “-1 < age”. An argument that begins with a dash stands behind "
          + "two dashes, after all options: -- '-1 < age'\n"), "\(sentence.errors)")
    #expect(run("show", "--", "-1 < age").output.hasPrefix("file -1 < age;"))
    #expect(run("show", "a", "-1<b").errors.contains("after all options: -- '-1<b'"))
    #expect(run("show", "-a == 'x'").errors.contains(#"-- "-a == 'x'""#))
    // A command without arguments has no place for one.
    #expect(run("fail", "-z").errors.hasPrefix("tool fail: There is no option -z.\n"))
    #expect(run("show", "--lmit", "3").errors.contains("Is --limit meant?"))
  }

  @Test("a program with a version prints it, and lists the option")
  func version() {
    let program = CommandProgram(Self.program.root, version: "1.2.0")
    let captured = CapturedConsole()
    #expect(program.run(["--version"], captured.console) == 0)
    #expect(captured.output == "tool 1.2.0\n")
    let help = CapturedConsole()
    #expect(program.run(["--help"], help.console) == 0)
    #expect(help.output.contains("\n  --version   Prints the version.\n"), "\(help.output)")
    #expect(program.run(["show", "--version"], captured.console) == 2)
    #expect(run("--version").code == 2)
    #expect(!run("--help").output.contains("--version"))
  }

  @Test("an error of the file system is told by its path and reason")
  func systemErrors() {
    let missing = #expect(throws: (any Error).self) {
      try FileManager.default.contentsOfDirectory(atPath: "/nowhere/at all")
    }
    if let missing {
      #expect(CommandProgram.describe(missing) == "/nowhere/at all: No such file or directory.")
    }
    #expect(CommandProgram.describe(POSIXError(.ENOSPC)) == "No space left on device.")
    #expect(
      CommandProgram.describe(UsageError("It is no error of a file."))
        == "It is no error of a file.")
  }

  @Test("a failure ends with 1 and its message")
  func failure() {
    let result = run("set", "fail")
    #expect(result.code == 1)
    #expect(result.errors == "tool: It was to fail.\n")
  }

  @Test("help shows arguments, options with their values, and what the command says itself")
  func help() {
    let wanted = """
      usage: tool show [options] FILE [WORD...]

      Shows a file.

      arguments:
        FILE  A file.
        WORD  More words.

      options:
        -n, --limit COUNT  How many.
        --colour NAME      Which colour. One of red, green.
        --name TEXT        A name.
        -l, --loud         Shouts.
        --quiet            Whispers.
        -h, --help         Shows this text.

      It is not changed.

      """
    for words in [
      ["show", "--help"], ["show", "-h"], ["help", "show"], ["show", "--bad", "--help"],
    ] {
      let captured = CapturedConsole()
      #expect(Self.program.run(words, captured.console) == 0)
      #expect(captured.output == wanted)
    }
  }

  @Test("the help of a program lists its commands")
  func rootHelp() {
    let result = run("--help")
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("usage: tool COMMAND ...\n\nDoes things.\n\ncommands:\n"))
    #expect(result.output.contains("\n  show        Shows a file.\n"))
    #expect(
      result.output.contains("\n  completion  Prints a script that completes words in a shell.\n"))
    #expect(run("help").output == result.output)
    #expect(run("set", "help").output.hasPrefix("usage: tool set COMMAND"))
  }

  @Test("a program of one command needs no word for it")
  func alone() {
    let captured = CapturedConsole()
    #expect(CommandProgram(Self.show).run(["a"], captured.console) == 0)
    #expect(captured.output.hasPrefix("file a;"))
  }

  @Test("an output that cannot be written is a failure, and nothing is written after it")
  func fullDisk() {
    struct Full: Error {}
    let captured = CapturedConsole()
    let console = CommandConsole(
      output: { _ in throw Full() }, errors: { captured.console.warn($0) })
    #expect(Self.program.run(["show", "a"], console) == 1)
    #expect(captured.errors.contains("tool: The output cannot be written"))
  }

  @Test("names are near when few letters differ, or one begins the other")
  func nearNames() {
    #expect(NearNames.of("Persn", among: ["Team", "Person"]) == ["Person"])
    #expect(NearNames.of("nmae", among: ["name", "age"]) == ["name"])
    #expect(NearNames.of("person", among: ["Person"]) == ["Person"])
    #expect(NearNames.of("Dep", among: ["Department", "Person"]) == ["Department"])
    #expect(NearNames.of("Zebra", among: ["Person", "Team"]) == [])
    #expect(NearNames.of("", among: ["Person"]) == [])
    #expect(NearNames.of(String(repeating: "x", count: 100_000), among: ["Person"]) == [])
  }
}
