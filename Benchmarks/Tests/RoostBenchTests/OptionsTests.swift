// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import Synchronization
import Testing

@testable import RoostBench

/// A command line that is refused, and the text that says why.
struct RefusedOptions: Error {
  let text: String
  let code: Int32
}

extension BenchOptions {
  /// The options of a command line.
  static func of(_ words: [String]) throws -> BenchOptions {
    let found = Mutex<BenchOptions?>(nil)
    let errors = Mutex("")
    let console = CommandConsole(
      output: { _ in }, errors: { text in errors.withLock { $0 += text } })
    let code = CommandProgram(command { options in found.withLock { $0 = options } })
      .run(words, console)
    guard code == 0, let options = found.withLock({ $0 }) else {
      throw RefusedOptions(text: errors.withLock { $0 }, code: code)
    }
    return options
  }
}

@Suite struct OptionsTests {
  @Test("without words all stores and workloads are measured, five times, with 100,000 objects")
  func defaults() throws {
    let options = try BenchOptions.of([])
    #expect(options == BenchOptions())
    #expect(options.stores == nil)
    #expect(options.objects == 100_000)
    #expect(options.rounds == 5)
    #expect(options.durability == .full)
  }

  @Test("a value stands after its option or behind a sign, and lists are separated by commas")
  func values() throws {
    let options = try BenchOptions.of([
      "--stores", "sqlite,memory,sqlite", "--workloads=w2,W6B,m2", "--objects=1_000_000",
      "--rounds", "3", "--durability", "extra", "--threads", "8", "--json", "a.json",
    ])
    #expect(options.stores == [.sqlite, .memory])
    #expect(options.workloads == ["W2", "W6b", "M2"])
    #expect(options.objects == 1_000_000)
    #expect(options.rounds == 3)
    #expect(options.durability == .extra)
    #expect(options.threads == 8)
    #expect(options.jsonFile == "a.json")
    let savers = try BenchOptions.of(["--savers=8", "--flush", "5"])
    #expect(savers.savers == 8 && savers.flush == 5)
    #expect(try BenchOptions.of(["--history"]).measuresHistory && !savers.measuresHistory)
    let across = try BenchOptions.of(["--across", "--flush", "5"])
    #expect(across.measuresAcross && across.flush == 5 && !savers.measuresAcross)
  }

  @Test("names that people use for a store are understood")
  func names() throws {
    #expect(
      try BenchOptions.of(["--stores", "postgres,PG,InMemory"]).stores == [.postgresql, .memory])
  }

  @Test(
    "words that make no sense are refused with a sentence that names them",
    arguments: [
      (["--objects"], "--objects needs a value"), (["--objects", "many"], "“many”"),
      (["--objects", "999"], "1000 to 10000000"), (["--objects", "10000001"], "10000001"),
      (["--objects", "--rounds"], "--objects needs a value"), (["--rounds", "0"], "“0”"),
      (["--rounds", "-1"], "“-1”"), (["--stores", "oracle"], "no store by “oracle”"),
      (["--stores", ","], "names no store"), (["--workloads", "W99"], "no workload by “W99”"),
      (["--durability", "none"], "one of full, extra, relaxed"),
      (["--fast"], "There is no option --fast"),
      (["sqlite"], "“sqlite” is one word too many"), (["--json="], "--json needs a value"),
      (["--model", "a", "--replay", "b"], "exclude each other"),
      (["--record", "a"], "--record takes one store"),
      (["--thresholds", "a"], "belongs to --counters"), (["--flush", "5"], "belongs to --savers"),
      (["--savers", "0"], "“0”"), (["--savers", "8", "--flush", "0"], "“0”"),
      (["--counters", "show", "--savers", "8"], "--savers means nothing"),
      (["--counters", "show", "--history"], "--history means nothing"),
      (["--rounds", "1", "--rounds", "2"], "--rounds is given twice"),
      (["--model", "a", "--workloads", "W2"], "--workloads means nothing beside --model"),
      (["--model", "a", "--compare", "b"], "--compare means nothing"),
      (["--scale=1000", "--replay", "a"], "--scale means nothing beside --replay"),
      (["--replay", "a", "--json", "b"], "--json means nothing"),
      (["--record", "a", "--stores", "lmdb", "--rounds", "2"], "--rounds means nothing"),
      (["--counters", "show", "--objects", "5000"], "--objects means nothing"),
      (["--counters", "record", "--workloads", "W1"], "leave --workloads out"),
    ])
  func refusals(words: [String], part: String) {
    let error = #expect(throws: RefusedOptions.self) { try BenchOptions.of(words) }
    #expect(error?.code == 2)
    #expect(error?.text.contains(part) == true, "\(error?.text ?? "")")
  }

  @Test(
    "what means something beside another option is taken",
    arguments: [
      ["--model", "a", "--rounds", "2", "--json", "b", "--report", "c", "--quiet"],
      ["--replay", "a", "--stores", "sqlite,lmdb", "--folder", "b"],
      ["--record", "a", "--stores", "lmdb", "--objects", "2000"],
      ["--counters", "check", "--workloads", "W1", "--thresholds", "b"],
      ["--counters", "off", "--objects", "2000"],
    ])
  func companions(words: [String]) throws {
    _ = try BenchOptions.of(words)
  }

  @Test("a command line that makes no sense ends the program with 2, --help with 0")
  func exitCodes() {
    let silent = CommandConsole(output: { _ in }, errors: { _ in })
    #expect(BenchCommand.run(["--nonsense"], silent) == 2)
    #expect(BenchCommand.run(["--help"], silent) == 0)
    #expect(BenchCommand.run(["--instructions", "check", "--help"], silent) == 0)
    #expect(BenchCommand.run(["--compare", "/nowhere/a.json"], silent) == 1)
  }

  @Test("what a run tells its child process comes back as it was")
  func children() throws {
    let task = ChildTask(
      work: .walk, store: .sqlite, baseline: .keeping, objects: 1_000, place: "a/b, c")
    #expect(try ChildTask(task.text) == task)
    let other = ChildTask(work: .hold, store: .memory, baseline: nil, objects: 5, place: "")
    #expect(try ChildTask(other.text) == other)
    #expect(throws: UsageError.self) { try ChildTask("x") }
  }
}
