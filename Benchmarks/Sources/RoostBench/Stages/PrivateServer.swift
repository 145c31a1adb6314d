// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A PostgreSQL server in a temporary folder, which ends with this process: `Scripts/postgres` runs as long as its
/// standard input is open.
final class PrivateServer {
  /// The URL of the server.
  let address: String
  private let process = Process()
  private let input = Pipe()

  /// Starts a server with production durability.
  ///
  /// - Throws: ``BenchError`` when PostgreSQL is not installed or does not start.
  init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Scripts/postgres").standardized
    // A separate session: Ctrl-C is meant for the benchmark, which stops the server when it is done.
    let session = URL(filePath: "/usr/bin/setsid")
    let words = [script.path, "serve", "--durable"]
    if FileManager.default.isExecutableFile(atPath: session.path) {
      process.executableURL = session
      process.arguments = words
    } else {
      process.executableURL = script
      process.arguments = Array(words.dropFirst())
    }
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw BenchError("\(script.path), which starts a private server, cannot be run.")
    }
    guard let address = Self.address(in: output) else {
      process.waitUntilExit()
      throw BenchError("DATABASE_URL is not set, and no private server starts.")
    }
    self.address = address
  }

  /// Reads the output of the script up to the server's address.
  private static func address(in output: Pipe) -> String? {
    var text = ""
    while true {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      text += String(decoding: data, as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("DATABASE_URL=") {
        // The password comes last: with it, the output is complete.
        if text.contains("PASSWORD=") { return String(line.dropFirst("DATABASE_URL=".count)) }
      }
    }
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
