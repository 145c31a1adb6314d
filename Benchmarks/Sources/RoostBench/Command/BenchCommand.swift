// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The program `roost-bench`.
public enum BenchCommand {
  /// Does what a command line asks for.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Returns: The program's exit code: 0, 1 after an error, 64 for a command line that makes no sense, 130 after
  ///   Ctrl-C.
  public static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try BenchOptions(arguments)
      return try run(options)
    } catch let error as UsageError {
      complain("roost-bench: \(error)\n(roost-bench --help lists the options.)")
      return UsageError.exitCode
    } catch {
      complain("roost-bench: \(error)")
      return 1
    }
  }

  private static func run(_ options: BenchOptions) throws -> Int32 {
    if options.showsHelp {
      print(Usage.text)
      return 0
    }
    if let task = options.child {
      guard let bytes = try MemoryRun(task: task).run() else { return 0 }
      print(bytes)
      return 0
    }
    let old = try options.compareFile.map { try BenchResults(jsonFile: $0) }
    Interruption.listen()
    let folder = try WorkFolder(in: options.folder)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue(
      options.stores, folder: folder, durability: options.durability)
    defer { catalogue.shutDown() }
    let progress = Progress(isQuiet: options.isQuiet)
    for note in catalogue.notes { progress.note(note) }
    if options.counters != .off {
      return try CounterCommand(options: options, engines: catalogue.engines).run()
    }
    if let file = options.replayFile {
      return try ReplayCommand(file: file, engines: catalogue.engines).run()
    }
    if let file = options.recordFile, let engine = catalogue.engines.first {
      try RecordCommand(file: file, engine: engine, objects: options.objects).run()
      print("Recorded a session on \(engine.kind.title) in \(file)")
      return 0
    }
    return try measure(options, catalogue, folder, progress, old)
  }

  private static func measure(
    _ options: BenchOptions, _ catalogue: EngineCatalogue, _ folder: WorkFolder,
    _ progress: Progress, _ old: BenchResults?
  ) throws -> Int32 {
    let results = try results(options, catalogue.engines, progress)
    print(TextTable(results: results).text + TextSections(results: results).text)
    let comparison = old.map { ResultsComparison(old: $0, new: results) }
    if let comparison { print("\n" + comparison.text) }
    if let file = options.jsonFile { try write(try results.json(), to: file) }
    if let folder = options.reportFolder {
      let page = try HTMLReport(results: results, comparison: comparison).write(into: folder)
      print("\nThe report is \(page)")
    }
    return results.isInterrupted ? Interruption.exitCode : 0
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
    try run.run()
    var results = run.results
    try addExtras(options, engines, progress, to: &results)
    return results
  }

  /// What is measured beside the table: contexts side by side, and other sizes.
  private static func addExtras(
    _ options: BenchOptions, _ engines: [any Engine], _ progress: Progress,
    to results: inout BenchResults
  ) throws {
    for engine in engines {
      if let threads = options.threads {
        let data = SampleData(Extent(objects: options.objects))
        results.concurrency += try ConcurrencyRun(engine: engine, data: data)
          .run(threads: threads, progress: progress)
      }
      if let largest = options.scale {
        results.curves += try ScaleRun(engine: engine, progress: progress).run(upTo: largest)
      }
    }
    results.isInterrupted = Interruption.isRequested
  }

  private static func write(_ data: Data, to path: String) throws {
    do {
      try data.write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw BenchError("\(path) cannot be written.")
    }
  }

  private static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
