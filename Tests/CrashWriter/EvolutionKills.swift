// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Kills processes that bring a store to another version of its model, at random moments: what is left is of the one
/// version or of the other, with everything in it, and the next attempt succeeds (M50). After most kills the process
/// that finds what was left is killed, too, and another one finds what both have left. A process that was done before
/// it was killed does not count: there are more rounds then.
struct EvolutionKills {
  let kind: StoreKind
  /// How many processes are to be killed while they migrate, and how many while they find what such a one has left.
  let kills: Int
  let seed: UInt64
  /// Ends the server at once instead of the process, as a loss of power would, and starts it again.
  var stopsServer = false

  private static let count = 400

  /// What was left after the kills.
  struct Report {
    /// Stores that were migrated, the one without a kill among them.
    var rounds = 0
    /// First processes that had not said that they were done.
    var killed = 0
    /// Processes that were killed while they opened what another killed one had left.
    var killedAgain = 0
    /// Stores that were of the old version.
    var old = 0
    /// Stores that were of the new version although nobody was told.
    var untold = 0
  }

  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-evolutions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let items = (0..<Self.count).map { VersionedStore.Item($0) }
    var random = SplitMix64(seed: seed)
    var report = Report()
    // How long an attempt takes that nobody kills, so that kills fall within one.
    var span: UInt32 = 0
    // Restarts of a server take long.
    let killsAgain = stopsServer ? kills / 4 : kills
    while report.rounds == 0 || report.killed < kills || report.killedAgain < killsAgain {
      let round = report.rounds
      report.rounds += 1
      try VersionedStore.require(
        round <= 20 * kills, "only \(report.killed) kills hit, \(report.killedAgain) in a recovery")
      let url = folder.appending(path: "store-\(round)")
      let store = VersionedStore(description: try kind.describe(url))
      try store.prepare(Self.count)
      let isDone: Bool
      if round == 0 {
        span = try measure(url)
        isDone = true
      } else {
        let isFirstDone = try attempt(url, UInt32.random(in: 0...span, using: &random))
        if !isFirstDone { report.killed += 1 }
        // What one kill alone has left is looked at, too.
        if !isFirstDone, !round.isMultiple(of: 4) {
          try kind.waitUntilLeft(url)
          isDone = try attempt(url, UInt32.random(in: 0...span, using: &random))
          if !isDone { report.killedAgain += 1 }
        } else {
          isDone = isFirstDone
        }
      }
      try kind.waitUntilLeft(url)
      do {
        try inspect(store, items, isDone: isDone, &report)
      } catch {
        throw Inspection.Finding(description: "round \(round): \(error)")
      }
      if let damage = kind.findDamage(url) {
        throw Inspection.Finding(description: "round \(round): the file is damaged: \(damage)")
      }
      try kind.remove(url)
    }
    return report
  }

  /// How many microseconds a process takes that nobody kills.
  private func measure(_ url: URL) throws -> UInt32 {
    let child = try Child(["evolve", kind.name, url.path(percentEncoded: false)])
    child.waitForLine()
    let start = ContinuousClock.now
    child.waitForLine(count: 2)
    let passed = start.duration(to: .now).components
    let lines = child.lines()
    try VersionedStore.require(lines == ["begin", "done"], "the process said \(lines)")
    return UInt32(clamping: passed.seconds * 1_000_000 + passed.attoseconds / 1_000_000_000_000)
  }

  /// Starts a process that opens the store with the second version, and kills it.
  ///
  /// - Parameter delay: The microseconds after which it is killed.
  /// - Returns: Whether it has said that it is done.
  private func attempt(_ url: URL, _ delay: UInt32) throws -> Bool {
    let child = try Child(["evolve", kind.name, url.path(percentEncoded: false)])
    child.waitForLine()
    usleep(delay)
    if stopsServer { try Self.restartServer() }
    var lines = child.kill()
    // A process whose server went away is told so.
    if stopsServer { lines.removeAll { $0.hasPrefix("failed ") } }
    let isKnown = lines.first == "begin" && lines.dropFirst().allSatisfy { $0 == "done" }
    try VersionedStore.require(isKnown, "the process said \(lines)")
    return lines.last == "done"
  }

  private func inspect(
    _ store: VersionedStore, _ items: [VersionedStore.Item], isDone: Bool, _ report: inout Report
  ) throws {
    let isOld = try store.isOfFirstVersion(items)
    try VersionedStore.require(!isDone || !isOld, "the process was done, and the store is old")
    if !isDone {
      if isOld { report.old += 1 } else { report.untold += 1 }
    }
    try store.checkSecondVersion(items)
  }

  /// Stops the server as a loss of power would, and starts it again.
  private static func restartServer() throws {
    guard let script = ProcessInfo.processInfo.environment["ROOST_RESTART"] else {
      throw Inspection.Finding(description: "ROOST_RESTART does not say how to restart the server")
    }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try VersionedStore.require(process.terminationStatus == 0, "the server was not restarted")
  }

  /// Opens a store with the second version, and tells before and after.
  static func evolve(_ kind: StoreKind, _ url: URL) throws {
    let store = VersionedStore(description: try kind.describe(url))
    Terminal.say("begin")
    do {
      let container = try store.open(.second)
      Terminal.say("done")
      VersionedStore.close(container)
    } catch {
      Terminal.say("failed \(error)".replacing("\n", with: " "))
    }
  }
}
