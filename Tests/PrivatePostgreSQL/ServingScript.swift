// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A script of this repository that starts servers, prints their addresses, and stops them at the end of its standard
/// input.
final class ServingScript: @unchecked Sendable {
  // Sendable: the process is started in `init` and only ended afterwards.

  /// The variables that the script has printed: a name and a value in each line.
  let variables: [String: String]
  private let process: Process
  private let lifeline: Pipe

  /// Starts a script, and waits until it has printed everything.
  init(_ name: String, _ arguments: [String], lastVariable: String) throws {
    process = Process()
    lifeline = Pipe()
    process.executableURL = Self.place(name)
    process.arguments = arguments
    process.standardInput = lifeline
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var text = ""
    while !text.contains(lastVariable + "=") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw NoServer(reason: "Scripts/\(name) started no server") }
      text += String(decoding: data, as: UTF8.self)
    }
    var variables: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
    }
    self.variables = variables
  }

  /// Stops the servers.
  func stop() {
    // Child processes started meanwhile may have inherited the pipe, so that closing it would not end the input.
    try? lifeline.fileHandleForWriting.write(contentsOf: Data("stop\n".utf8))
    try? lifeline.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Runs a script to its end.
  static func run(_ name: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = place(name)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw NoServer(reason: "\(arguments) failed") }
  }

  private static func place(_ name: String) -> URL {
    URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Scripts/\(name)")
  }

  struct NoServer: Error {
    let reason: String
  }
}
