// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Testing

/// Ends a process at once.
private func end(_ process: Int32) { _ = kill(process, SIGKILL) }

/// Processes that are killed while they save. The program that does it stands beside the tests.
@Suite(.serialized) struct CrashTests {
  /// Runs the program, and returns how it ended and what it said.
  private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = Bundle(for: Mark.self).bundleURL.deletingLastPathComponent()
      .appending(path: "CrashWriter")
    #if os(Linux)
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "CrashWriter")
    #endif
    process.arguments = arguments
    if let uri = TestDatabase.uri {
      var environment = ProcessInfo.processInfo.environment
      environment["DATABASE_URL"] = uri
      process.environment = environment
    }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // One that hangs fails its test, and holds up nothing else.
    let number = process.processIdentifier
    let watchdog = DispatchWorkItem { end(number) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    watchdog.cancel()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// How long a run may take, in seconds: far longer than any does.
  private static let patience =
    Double(ProcessInfo.processInfo.environment["ROOST_CRASH_SECONDS"] ?? "") ?? 600

  private final class Mark {}

  /// The stores that survive the end of a process; PostgreSQL where there is a server.
  private static let stores =
    ["sqlite", "lmdb"] + (TestDatabase.uri == nil ? [] : ["postgresql"])

  /// The same with a history that keeps previous values.
  private static let recordedStores = stores.map { $0 + "+history" }

  /// `ROOST_KILLS` and `ROOST_KILL_SEED` make the loop longer or another one.
  private static func setting(_ name: String, _ standard: Int) -> String {
    ProcessInfo.processInfo.environment[name] ?? String(standard)
  }

  @Test(
    "no acknowledged save is lost, and none is torn, whenever the process is killed (reliability 3.1)",
    arguments: stores)
  func kill(_ store: String) throws {
    let end = try run(
      "loop", store, Self.setting("ROOST_KILLS", 50), Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 lost, 0 torn"), "\(end.text)")
  }

  @Test(
    "what is recorded is what is there, whenever the process is killed (H1, H7, reliability 3.1)",
    arguments: recordedStores)
  func recordedKill(_ store: String) throws {
    let end = try run(
      "loop", store, Self.setting("ROOST_KILLS", 30), Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 lost, 0 torn"), "\(end.text)")
  }

  /// Pairs and more, of which at least one is kept when the process ends. With a server, it decides.
  private static let combinations = [
    "sqlite,lmdb", "sqlite,sqlite", "lmdb,binary", "sqlite,memory", "sqlite+history,lmdb+history",
    "sqlite,lmdb,memory",
  ]

  /// Those, and some with a server: two stores of one database are written by one transaction.
  private static var allCombinations: [String] {
    combinations
      + (TestDatabase.uri == nil
        ? []
        : [
          "sqlite,postgresql", "postgresql,postgresql", "lmdb,postgresql",
          "sqlite,lmdb,postgresql,memory",
        ])
  }

  /// Those that are killed: also two stores of one database as if each had a server of its own, and beside a file.
  private static var killedCombinations: [String] {
    allCombinations
      + (TestDatabase.uri == nil
        ? [] : ["postgresql-apart,postgresql-apart", "sqlite,postgresql,postgresql"])
  }

  /// How many points the matrix has at the least, over all combinations of stores (X30).
  private static let matrixSize = 500

  @Test(
    "no save is in one store and not in another, whenever a process is killed, and nothing is left over (X2, X30)",
    arguments: killedCombinations)
  func several(_ stores: String) throws {
    let wanted = Self.setting("ROOST_SEVERAL_POINTS", 8)
    let end = try run("several", stores, wanted, Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 torn, 0 left over"), "\(end.text)")
    // All points were tried; the recovery is killed, too, after one of four.
    let numbers = end.text.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count >= 3, "\(end.text)")
    #expect("\(numbers[0])" == wanted, "\(end.text)")
    if numbers[0] * Self.killedCombinations.count >= Self.matrixSize {
      #expect(numbers[2] > 0, "\(end.text)")
    }
  }

  @Test(
    "a writer that saves to one store after the other is found out",
    arguments: combinations.prefix(2))
  func severalControl(_ stores: String) throws {
    let end = try run("several", stores, "40", "1", "torn")
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.contains("torn: "), "\(end.text)")
  }

  @Test(
    "stores of one database that are not written by one transaction are found out (X2, X30)",
    .enabled(if: TestDatabase.uri != nil))
  func severalJointControl() throws {
    let end = try run("several", "postgresql,postgresql", "30", "1", "apart")
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.contains("torn: "), "\(end.text)")
  }

  @Test(
    "of processes that save to the same stores at once none loses a save, and nothing is left over (X1, X6)",
    arguments: combinations.prefix(2))
  func severalRace(_ stores: String) throws {
    let end = try run("several-race", stores, "3", "40")
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 lost, 0 left over"), "\(end.text)")
  }

  @Test(
    "no value is lost, none is in one store alone, and all reads fit together, although processes are killed (X3, X21)",
    arguments: allCombinations.filter { !$0.contains("binary") && !$0.contains("memory") })
  func severalLists(_ stores: String) throws {
    let end = try run(
      "several-lists", stores, "3", Self.setting("ROOST_SEVERAL_LISTS", 40), "5",
      Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 anomalies, 0 torn"), "\(end.text)")
  }

  @Test(
    "processes that append to one store after the other are found out",
    arguments: combinations.prefix(2))
  func severalListsControl(_ stores: String) throws {
    let end = try run("several-lists", stores, "3", "60", "5", "1", "torn")
    #expect(end.status == 2, "\(end.text)")
  }

  @Test("a history that misses transactions is found out", arguments: recordedStores)
  func recordControl(_ store: String) throws {
    let end = try run("loop", store, "10", "1", "trimmed")
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.contains("transactions"), "\(end.text)")
  }

  @Test(
    "who follows processes that are killed misses nothing, and hears nothing twice (H8, L2, A4)",
    arguments: stores)
  func following(_ store: String) throws {
    let end = try run(
      "follow", store, "4", Self.setting("ROOST_FOLLOW_SECONDS", 4),
      Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(", 0 missed"), "\(end.text)")
    #expect(!end.text.contains(": 0 transactions"), "\(end.text)")
  }

  @Test("a follower that forgets transactions is found out", arguments: stores)
  func followingControl(_ store: String) throws {
    let end = try run("follow", store, "2", "1", "1", "forgetful")
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.contains("transactions came"), "\(end.text)")
  }

  @Test(
    "a writer that tells of a save before it is made, or saves in two parts, is found out",
    arguments: stores, ["early", "torn"])
  func control(_ store: String, _ defect: String) throws {
    let end = try run("loop", store, "50", "1", defect)
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.hasPrefix("FOUND: "), "\(end.text)")
  }

  @Test(
    "of several processes that want a unique value each value has one winner (B190)",
    arguments: stores)
  func race(_ store: String) throws {
    let end = try run("race", store, "4", "100")
    #expect(end.status == 0, "\(end.text)")
  }

  @Test(
    "a copy that is killed at any step is not taken for whole, and the next one replaces it (B364)",
    arguments: stores)
  func copies(_ store: String) throws {
    let end = try run("copies", store, "0")
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains("copies killed, 0 taken for whole"), "\(end.text)")
    #expect(!end.text.contains(": 0 copies"), "\(end.text)")
  }

  @Test(
    "processes that make one new store at once all open the same one (hazard 35)", arguments: stores
  )
  func making(_ store: String) throws {
    let end = try run("making", store, "4", "15")
    #expect(end.status == 0, "\(end.text)")
  }

  @Test(
    "transactions in processes have no anomaly that is forbidden, and none at all when they check (B174, B176)",
    arguments: stores, ["", "checked"])
  func anomalies(_ store: String, _ check: String) throws {
    let end = try run("anomalies", store, "2", "100", check)
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(" 0 anomalies"), "\(end.text)")
  }

  @Test(
    "of processes that open an old store at once one migrates it, and all read it (M33, A6)",
    arguments: stores + ["sqlite-divided"])
  func together(_ store: String) throws {
    let end = try run("evolve-together", store, "2", Self.setting("ROOST_TOGETHER", 10))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains("each migrated once"), "\(end.text)")
  }

  @Test(
    "of processes that lead an old store through stages at once one does, beside an old program (M28, M33, M34)",
    arguments: stores)
  func togetherStaged(_ store: String) throws {
    let end = try run("evolve-together", store, "2", Self.setting("ROOST_TOGETHER", 10), "staged")
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains("each migrated once"), "\(end.text)")
  }

  @Test(
    "requests of the old version are right or refused while a store is migrated, and refused after (M34, A7)",
    arguments: stores + ["memory", "sqlite-divided", "lmdb-divided"])
  func between(_ store: String) throws {
    let end = try run(
      "evolve-between", store, Self.setting("ROOST_INTERLEAVINGS", 13),
      Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(", 0 wrong"), "\(end.text)")
    #expect(!end.text.contains(" 0 requests"), "\(end.text)")
  }

  @Test(
    "a migration reports from 0 to 1, takes little memory, ends when cancelled, and outlives a kill (M23, M25, M50)",
    arguments: ["sqlite", "sqlite-divided", "lmdb", "lmdb-divided"])
  func large(_ store: String) throws {
    let end = try run("evolve-large", store, Self.setting("ROOST_LARGE", 3_000))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains("cancelled within "), "\(end.text)")
  }

  @Test(
    "a store whose migration is killed, and killed again in the recovery, is of one version or the other (M50, A5)",
    arguments: stores + ["binary", "sqlite-divided", "lmdb-divided"])
  func evolutionKills(_ store: String) throws {
    let wanted = Self.setting("ROOST_EVOLUTION_KILLS", 10)
    let end = try run("evolve-kills", store, wanted, Self.setting("ROOST_KILL_SEED", 1))
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(", 0 wrong"), "\(end.text)")
    for kind in [" kills of a migration", " kills in the recovery"] {
      let count = end.text.components(separatedBy: kind)[0].split(separator: " ").last
      #expect(Int(count ?? "") ?? 0 >= Int(wanted) ?? 1, "\(end.text)")
    }
  }
}
