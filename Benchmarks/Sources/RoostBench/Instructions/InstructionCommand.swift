// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `--instructions`: shows how many instructions the workloads take, or holds them against their budgets.
///
/// Callgrind counts, so the program starts itself again under Valgrind, with the same command line, and the second
/// process does the work.
struct InstructionCommand {
  /// How the second process learns where callgrind writes.
  private static let variable = "ROOST_BENCH_PROFILES"

  let options: BenchOptions

  /// - Returns: Whether this process is the second one.
  static var isUnderCallgrind: Bool { InstructionCounter.isAvailable && folder != nil }

  private static var folder: URL? {
    ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) }
  }

  /// Starts the second process, and waits for it.
  ///
  /// - Parameters:
  ///   - arguments: The words of the command line.
  ///   - profiles: Where callgrind's files go.
  /// - Returns: Its exit code.
  /// - Throws: ``BenchError`` where there is no Valgrind.
  static func runUnderCallgrind(_ arguments: [String], profiles: URL) throws -> Int32 {
    guard let valgrind = program("valgrind") else {
      throw BenchError("Instructions are counted by Valgrind, which is not installed.")
    }
    try FileManager.default.createDirectory(at: profiles, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = valgrind
    process.arguments =
      [
        "-q", "--tool=callgrind", "--instr-atstart=no",
        "--callgrind-out-file=\(profiles.appending(path: "callgrind.out").path)",
        try programWithoutDebugInformation(in: profiles).path,
      ] + arguments
    var environment = ProcessInfo.processInfo.environment
    environment[variable] = profiles.path
    // With one seed for all, tables grow at the same sizes in every run.
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// A copy of this program that Valgrind can read: it does not know the form in which Swift describes sources. The
  /// names of functions stay.
  ///
  /// - Returns: The copy; the program itself where nothing makes one.
  private static func programWithoutDebugInformation(in folder: URL) throws -> URL {
    guard let strip = program("strip") ?? program("llvm-strip") else { return ChildTask.program }
    let copy = folder.appending(path: "roost-bench")
    let process = Process()
    process.executableURL = strip
    process.arguments = ["-g", "-o", copy.path, ChildTask.program.path]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? copy : ChildTask.program
  }

  private static func program(_ name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Does the work of the second process.
  ///
  /// - Returns: 0, 1 when a budget is exceeded and they are checked, or 130 after Ctrl-C.
  func run(_ engines: [any Engine]) throws -> Int32 {
    guard let folder = Self.folder else { return 1 }
    if !Machine.current.isOptimized {
      print("BUILT WITHOUT OPTIMIZATION: no number means anything.\n")
    }
    let extent = Extent(objects: options.instructionObjects)
    if options.measuresAcross {
      return try AcrossInstructions(extent: extent, folder: folder)
        .run(engines, isChecked: options.instructions == .check)
    }
    let workloads = WorkloadCatalogue.all.filter {
      options.workloads?.contains($0.id) ?? $0.asksStore
    }
    var violations: [String] = []
    for engine in engines {
      let counted = try InstructionRun(
        engine: engine, workloads: workloads, extent: extent, folder: folder
      ).run()
      let table = InstructionTable(store: engine.kind, extent: extent, counted: counted)
      print(table.text + "\n")
      if Interruption.isRequested { return Interruption.exitCode }
      violations += table.violations
    }
    guard options.instructions == .check, !violations.isEmpty else { return 0 }
    print("More than it may be:\n" + violations.map { "  " + $0 }.joined(separator: "\n"))
    return 1
  }
}
