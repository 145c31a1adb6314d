// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import Synchronization

/// The program `roost-bench`.
public enum BenchCommand {
  /// Does what a command line asks for.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Returns: The program's exit code: 0, 1 after an error, 2 for a command line that makes no sense, 130 after
  ///   Ctrl-C.
  public static func run(_ arguments: [String]) -> Int32 { run(arguments, .standard) }

  static func run(_ arguments: [String], _ console: CommandConsole) -> Int32 {
    // How the program starts itself is no option of the command line.
    if arguments.first == ChildTask.option { return measure(arguments.dropFirst().first ?? "") }
    let code = Mutex<Int32>(0)
    let command = BenchOptions.command { options in
      let found =
        try options.instructions != .off && !InstructionCommand.isUnderCallgrind
        ? countInstructions(options, arguments) : run(options)
      code.withLock { $0 = found }
    }
    let ending = CommandProgram(command, describe: describe).run(arguments, console)
    return ending == 0 ? code.withLock { $0 } : ending
  }

  private static func describe(_ error: any Error) -> String {
    error is PersistenceError ? "\(error)" : CommandProgram.describe(error)
  }

  /// Measures for another process of this program.
  private static func measure(_ text: String) -> Int32 {
    do {
      if let bytes = try MemoryRun(task: ChildTask(text)).run() { print(bytes) }
      return 0
    } catch {
      complain("roost-bench: \(describe(error))")
      return 1
    }
  }

  private static func run(_ options: BenchOptions) throws -> Int32 {
    let old = try options.compareFile.map { try BenchResults(jsonFile: $0) }
    let output = try OutputFiles(options)
    Interruption.listen()
    let folder = try WorkFolder(in: options.folder)
    Interruption.atEnd { folder.remove() }
    defer { folder.remove() }
    let catalogue = try EngineCatalogue(
      options.stores, folder: folder, durability: options.durability)
    defer { catalogue.shutDown() }
    let progress = Progress(isQuiet: options.isQuiet)
    for note in catalogue.notes { progress.note(note) }
    if options.instructions != .off {
      return try InstructionCommand(options: options).run(catalogue.engines)
    }
    if options.counters != .off {
      return try CounterCommand(options: options, engines: catalogue.engines).run()
    }
    if let file = options.replayFile {
      return try ReplayCommand(file: file, engines: catalogue.engines).run()
    }
    if let file = options.recordFile, let engine = catalogue.engines.first {
      try RecordCommand(file: file, engine: engine, objects: options.objects).run()
      let part = Interruption.isRequested ? "the beginning of a session" : "a session"
      print("Recorded \(part) on \(engine.kind.title) in \(file)")
      return Interruption.isRequested ? Interruption.exitCode : 0
    }
    let results = try results(options, catalogue.engines, progress)
    return show(results, output, old.map { ResultsComparison(old: $0, new: results) })
  }

  /// Starts this program again under callgrind.
  private static func countInstructions(
    _ options: BenchOptions, _ arguments: [String]
  ) throws -> Int32 {
    if let folder = options.profilesFolder {
      return try InstructionCommand.runUnderCallgrind(arguments, profiles: URL(filePath: folder))
    }
    let folder = try WorkFolder(in: options.folder)
    defer { folder.remove() }
    return try InstructionCommand.runUnderCallgrind(arguments, profiles: folder.url)
  }

  /// Prints and writes what was found.
  private static func show(
    _ results: BenchResults, _ output: OutputFiles, _ comparison: ResultsComparison?
  ) -> Int32 {
    print(TextTable(results: results).text + TextSections(results: results).text)
    if let comparison { print("\n" + comparison.text) }
    let written = output.write(results, comparison)
    if let page = written.page { print("\nThe report is \(page)") }
    let failures = (results.failures ?? []) + written.failures
    for failure in failures { complain("roost-bench: \(failure)") }
    if results.isInterrupted { return Interruption.exitCode }
    return failures.isEmpty ? 0 : 1
  }

  private static func results(
    _ options: BenchOptions, _ engines: [any Engine], _ progress: Progress
  ) throws -> BenchResults {
    if let file = options.modelFile {
      return try ModelCommand(options: options, engines: engines) {
        try ManagedObjectModel(contentsOf: URL(filePath: file))
      }.run(progress)
    }
    let run = try BenchRun(options, engines: engines, progress: progress)
    run.run()
    var results = run.results
    addExtras(options, engines, progress, to: &results)
    return results
  }

  /// What is measured beside the table: contexts side by side, histories, versions, several stores, other
  /// sizes. What fails is told, and the rest is measured.
  private static func addExtras(
    _ options: BenchOptions, _ engines: [any Engine], _ progress: Progress,
    to results: inout BenchResults
  ) {
    let data = SampleData(Extent(objects: options.objects))
    for engine in engines {
      func attempt(_ what: String, _ body: () throws -> Void) {
        do {
          try body()
        } catch {
          results.fail("\(engine.kind.title), \(what)", error)
        }
      }
      if let threads = options.threads {
        attempt("side by side") {
          results.concurrency += try ConcurrencyRun(engine: engine, data: data)
            .run(threads: threads, progress: progress)
        }
      }
      if let savers = options.savers {
        attempt("saving side by side") {
          let data = SampleData(Extent(objects: min(options.objects, SaversRun.objects)))
          let found = try SaversRun(engine: engine, data: data, flush: options.flush)
            .run(savers: savers, rounds: options.rounds, progress: progress)
          results.savers = (results.savers ?? []) + found
        }
      }
      if options.measuresHistory {
        attempt("with a history") {
          let found = try HistoryRun(engine: engine, data: data)
            .run(rounds: options.rounds, progress: progress)
          results.history = (results.history ?? []) + found
        }
      }
      if options.measuresEvolution {
        attempt("with other versions of the model") {
          let found = try EvolutionRun(engine: engine, data: data)
            .run(rounds: options.rounds, progress: progress)
          results.evolution = (results.evolution ?? []) + found
        }
      }
      if options.measuresAcross {
        attempt("with several stores") {
          let run = AcrossRun(
            engine: engine, data: data, server: engines.first { $0.kind == .postgresql },
            flush: options.flush)
          let found = try run.run(rounds: options.rounds, progress: progress)
          results.across = (results.across ?? []) + found
        }
      }
      if let largest = options.scale {
        attempt("at other sizes") {
          try ScaleRun(engine: engine, progress: progress).run(upTo: largest) {
            results.curves += $0
          }
        }
      }
    }
    results.isInterrupted = Interruption.isRequested
  }

  private static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
