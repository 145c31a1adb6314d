// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs tests of the mutated tree in separate processes.
struct TestProcess: Sendable {
  /// The result of a run.
  enum Ending: Equatable {
    case passed
    case failed
    /// It exceeded the time limit.
    case stuck
    /// No test has such a name.
    case empty
  }

  /// The folder of the mutated tree, in which tests run.
  let tree: URL
  /// The folder with the programs that were built.
  let programs: URL
  /// The time limit of a run, in seconds.
  let limit: Double

  /// Runs tests, with one mutant or with none.
  ///
  /// - Parameters:
  ///   - command: The tests.
  ///   - mutant: The mutant that is switched on.
  ///   - factor: The factor by which the limit is multiplied.
  /// - Returns: The result of the run, and its output.
  func run(
    _ command: TestCommand, mutant: Mutant?, factor: Double = 1
  ) throws -> (ending: Ending, text: String) {
    let process: Process
    switch command {
    case .tests(let expressions):
      process = tests(expressions.flatMap { ["--filter", $0] }, mutant)
    case .kit(let store, let prefix):
      process = make("roost-conformance", ["--store", store, "--case", prefix], mutant)
    }
    let (ending, text) = try run(process, seconds: limit * factor)
    return (ending == .passed && isEmpty(command, text) ? .empty : ending, text)
  }

  /// Returns the names of all tests, one per line.
  func testNames() throws -> String {
    try run(tests(["--list-tests"], nil), seconds: limit).text
  }

  private func tests(_ arguments: [String], _ mutant: Mutant?) -> Process {
    make("RoostPackageTests.xctest", ["--testing-library", "swift-testing"] + arguments, mutant)
  }

  private func make(_ program: String, _ arguments: [String], _ mutant: Mutant?) -> Process {
    let process = Process()
    process.currentDirectoryURL = tree
    process.executableURL = programs.appending(path: program)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["ROOST_MUTANT"] = mutant?.name
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    return process
  }

  private func run(_ process: Process, seconds: Double) throws -> (ending: Ending, text: String) {
    // The output goes to a file, which needs no reader, also for the output of a killed run's children.
    let output = FileManager.default.temporaryDirectory
      .appending(path: "roost-mutant-\(UUID().uuidString)")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    let isInTime = wait(for: process, seconds)
    try handle.close()
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    guard isInTime else { return (.stuck, text) }
    let isRight = process.terminationReason == .exit && process.terminationStatus == 0
    return (isRight ? .passed : .failed, text)
  }

  private func wait(for process: Process, _ seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while process.isRunning {
      guard Date() < end else {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return false
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
    return true
  }

  private func isEmpty(_ command: TestCommand, _ text: String) -> Bool {
    switch command {
    case .tests: text.contains("Test run with 0 tests")
    case .kit: !text.contains("passed")
    }
  }
}
