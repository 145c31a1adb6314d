// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Starts writers, kills them at random times, and inspects the store after each kill.
struct KillLoop {
  let kind: StoreKind
  let kills: Int
  let seed: UInt64
  let defect: Writer.Defect?

  /// The counts of a loop.
  struct Report {
    var acknowledged: Int64 = 0
    /// Kills before the writer was ready: while it opened or created the store.
    var killsWhileOpening = 0
    /// Saves that are in the store although they were not acknowledged.
    var unacknowledged = 0
  }

  /// Runs the loop in a temporary folder.
  ///
  /// - Throws: An `Inspection.Finding` for the first inconsistency.
  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-kills-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SplitMix64(seed: seed)
    var report = Report()
    var url = folder.appending(path: "ledger-0")
    var last: Int64 = 0
    for round in 0..<kills {
      // Every tenth round has a new store, so that its creation is interrupted too.
      if round % 10 == 0 {
        if round > 0 { try kind.remove(url) }
        url = folder.appending(path: "ledger-\(round)")
        last = 0
      }
      let acknowledged = try kill(url, &random, &report)
      try kind.waitUntilLeft(url)
      let found = try Inspection(kind: kind, url: url)
        .run(acknowledged: acknowledged ?? (last > 0 ? last : nil))
      if let acknowledged {
        report.acknowledged += max(0, acknowledged - last)
        if found > acknowledged { report.unacknowledged += 1 }
      }
      last = found
    }
    try kind.remove(url)
    return report
  }

  /// Starts a writer and kills it.
  ///
  /// - Returns: The last save that it acknowledged; nil for none.
  private func kill(
    _ url: URL, _ random: inout SplitMix64, _ report: inout Report
  ) throws -> Int64? {
    let child = try Child(
      ["write", kind.name, url.path(percentEncoded: false)] + (defect.map { [$0.rawValue] } ?? []))
    if Int.random(in: 0..<5, using: &random) == 0 {
      usleep(UInt32.random(in: 0...60_000, using: &random))
    } else {
      // The line that it is ready, and those of some saves: a time alone may pass without one where the machine is
      // busy, and then nothing would be examined.
      child.waitForLine(count: Int.random(in: 1...4, using: &random))
      usleep(UInt32.random(in: 0...120_000, using: &random))
    }
    let lines = child.kill()
    guard let first = lines.first else {
      report.killsWhileOpening += 1
      return nil
    }
    guard first.hasPrefix("ready ") else {
      throw Inspection.Finding(description: "The writer said: \(lines.joined(separator: " "))")
    }
    return lines.dropFirst().last.flatMap { Int64($0) } ?? Int64(first.dropFirst(6))
  }
}

/// This program as a child process, with its output.
final class Child {
  private let process = Process()
  private let output = Pipe()
  private var text = Data()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #if !os(Linux)
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    #endif
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Waits until the child has printed lines, or has ended.
  ///
  /// - Parameter count: The number of lines to wait for.
  func waitForLine(count: Int = 1) {
    while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return }
      text += more
    }
  }

  /// Kills the child with SIGKILL, and returns the complete lines of its output.
  func kill() -> [String] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    return lines()
  }

  /// Waits for the end of the child, and returns the complete lines of its output.
  func lines() -> [String] {
    text += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
    return String(decoding: text[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  var identifier: Int32 { process.processIdentifier }
}
