// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// The program itself, interrupted from outside.
@Suite(.serialized) struct InterruptionTests {
  /// The program, which the package manager puts in the same folder as the tests.
  private static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "roost-bench")
  private static let isThere = FileManager.default.isExecutableFile(atPath: program.path)

  /// Starts a run that is far longer than the test, and sends signals as soon as its files exist.
  private func interrupt(_ words: [String], with signals: [Int32]) throws -> Int32 {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let process = Process()
    process.executableURL = Self.program
    process.arguments = words + ["--stores", "sqlite", "--folder", folder.url.path, "--quiet"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    func files() -> [String] {
      FileManager.default.subpaths(atPath: folder.url.path) ?? []
    }
    while process.isRunning, !files().contains(where: { $0.hasSuffix("roost.sqlite") }) {
      usleep(10_000)
    }
    #expect(process.isRunning, "the run ended by itself")
    for signal in signals { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    #expect(files() == [], "the temporary folder is still there")
    return process.terminationStatus
  }

  @Test(
    "Ctrl-C and a terminal that closes end a run with 130 and leave no files behind",
    .enabled(if: isThere), arguments: [[SIGINT], [SIGHUP], [SIGINT, SIGTERM]])
  func runs(signals: [Int32]) throws {
    #expect(try interrupt(["--objects", "1000", "--rounds", "1000"], with: signals) == 130)
  }

  @Test(
    "Ctrl-C ends what does not measure, too", .enabled(if: isThere),
    arguments: [["--counters", "show"], ["--record", "/dev/null", "--objects", "20000"]])
  func others(words: [String]) throws {
    #expect(try interrupt(words, with: [SIGINT]) == 130)
  }
}
