// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import PrivatePostgreSQL
import Testing

/// Stores whose calls to the system fail, whose power is lost, and whose memory is refused. The program that does it
/// stands beside the tests; `ROOST_FAULTS` makes it do more, `ROOST_FAULT_SEED` something else. `make soak` does a
/// thousand of each kind.
@Suite(.serialized) struct FaultTests {
  private static let stores = ["sqlite", "lmdb"]
  /// The same and PostgreSQL, where there is a server.
  private static let allStores = stores + (TestDatabase.uri == nil ? [] : ["postgresql"])

  /// The same with a history that keeps previous values.
  private static let recordedStores = stores.map { $0 + "+history" }

  /// Runs the program, and returns how it ended and what it said.
  private func run(
    _ command: String, _ store: String, _ count: Int, _ wrong: String? = nil
  ) throws -> (status: Int32, text: String) {
    let environment = ProcessInfo.processInfo.environment
    let factor = environment["ROOST_FAULTS"].flatMap { Int($0) } ?? 1
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "FaultRunner")
    process.arguments =
      [
        command, store, "\(count * factor)", environment["ROOST_FAULT_SEED"] ?? "1",
      ]
      + (wrong.map { [$0] } ?? [])
    process.environment = environment.merging(
      TestDatabase.uri.map { ["DATABASE_URL": $0] } ?? [:]
    ) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// With a sanitizer nothing can stand between the libraries and the system.
  private static let notSupported: Int32 = 3

  private func expectRight(_ command: String, _ store: String, _ count: Int) throws {
    let end = try run(command, store, count)
    guard end.status != Self.notSupported else { return }
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(", 0 wrong"), "\(end.text)")
  }

  @Test(
    "damaged texts of models, journals and mapping models are refused, or as they stand (M6, M53, A11)",
    arguments: ["model", "journal", "mapping"])
  func formats(_ format: String) throws {
    let end = try run("fuzz", format, 300)
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains(", 0 wrong"), "\(end.text)")
    #expect(!end.text.contains(" 0 refused"), "\(end.text)")
  }

  private func expectFound(_ command: String, _ store: String, _ count: Int, _ wrong: String) throws
  {
    let end = try run(command, store, count, wrong)
    guard end.status != Self.notSupported else { return }
    #expect(end.status == 2, "\(end.text)")
    #expect(end.text.hasPrefix("FOUND: "), "\(end.text)")
  }

  @Test(
    "no acknowledged save is lost and none is torn when the power fails (reliability 3.2)",
    arguments: stores)
  func power(_ store: String) throws {
    try expectRight("power", store, 120)
  }

  @Test(
    "what is recorded is what is there when the power fails (H1, H7, reliability 3.2)",
    arguments: recordedStores)
  func recordedPower(_ store: String) throws {
    try expectRight("power", store, 60)
  }

  @Test(
    "whatever call fails, a save is recorded exactly if it is there (H1, H7, reliability 3.3)",
    arguments: recordedStores + (TestDatabase.uri == nil ? [] : ["postgresql+history"]))
  func recordedCalls(_ store: String) throws {
    try expectRight("faults", store, store.hasPrefix("postgresql") ? 8 : 25)
  }

  @Test(
    "wherever a wire is cut, a save is recorded exactly if it is there (H1, H7, reliability 3.4)",
    .enabled(if: TestDatabase.uri != nil))
  func recordedCuts() throws {
    try expectRight("cuts", "postgresql+history", 20)
  }

  @Test(
    "no save is in one store and not in another when the power fails (X30)",
    arguments: ["sqlite,lmdb", "sqlite,sqlite", "lmdb,lmdb", "sqlite,binary"])
  func severalPower(_ stores: String) throws {
    try expectRight("power-several", stores, 60)
  }

  /// Further combinations with servers: each takes half a minute, so they run where `ROOST_FAULTS` asks for more.
  private static var pairsWithServers: [String] {
    guard ProcessInfo.processInfo.environment["ROOST_FAULTS"] != nil else { return [] }
    return ["lmdb,postgresql", "sqlite,postgresql", "postgresql,postgresql"]
  }

  @Test(
    "no save is in one store and not in another when the power fails, with memory and servers (X13, X30)",
    arguments: ["sqlite,memory"]
      + (TestDatabase.uri == nil ? [] : ["sqlite,lmdb,postgresql,memory"] + pairsWithServers))
  func severalPowerBesideServers(_ stores: String) throws {
    try expectRight("power-several", stores, 3)
  }

  @Test(
    "of several stores, those that do not flush are found out",
    arguments: ["sqlite,lmdb"] + (TestDatabase.uri == nil ? [] : ["sqlite,postgresql"]))
  func severalPowerControl(_ stores: String) throws {
    try expectFound("power-several", stores, 240, "forgetful")
  }

  @Test("a store that does not flush is found out", arguments: stores)
  func powerControl(_ store: String) throws {
    try expectFound("power", store, 240, "forgetful")
  }

  @Test(
    "what is done to a file as a whole is on the disk when it returns, and never half (B367)",
    arguments: stores, ["replace", "destroy", "migrate"])
  func files(_ store: String, _ move: String) throws {
    try expectRight(move, store, 40)
  }

  @Test(
    "killed, or without power, a store that is migrated is of the old version or of the new one (M50, A5)",
    arguments: stores)
  func evolution(_ store: String) throws {
    try expectRight("evolve", store, 80)
  }

  @Test("a migration that is not flushed is found out", arguments: stores)
  func evolutionControl(_ store: String) throws {
    try expectFound("evolve", store, 60, "forgetful")
  }

  @Test(
    "whatever call fails, a store that is migrated is of the old version or of the new one (M51)",
    arguments: stores)
  func evolutionCalls(_ store: String) throws {
    try expectRight("evolve-faults", store, 25)
  }

  @Test("moves of files that are not flushed are found out", arguments: stores)
  func filesControl(_ store: String) throws {
    try expectFound("replace", store, 60, "forgetful")
  }

  @Test(
    "whatever call fails, what is read is right or an error, and the store goes on (reliability 3.3)",
    arguments: allStores)
  func calls(_ store: String) throws {
    try expectRight("faults", store, store == "postgresql" ? 15 : 60)
  }

  @Test("a process without file descriptors for a moment keeps no connection that cannot write")
  func readOnlyFallback() throws {
    // Each open in turn: after some, SQLite opens the file for reading only.
    try expectRight("descriptors", "sqlite", 100)
  }

  @Test("a reader that takes a failed read for an empty one is found out", arguments: stores)
  func callsControl(_ store: String) throws {
    // What LMDB reads it reads from the mapped file, and what can fail there is memory.
    try expectFound(store == "lmdb" ? "memory" : "faults", store, 400, "swallowing")
  }

  @Test(
    "memory that a library does not get is an error, and the store goes on (reliability 3.13, F23b)",
    arguments: allStores)
  func memory(_ store: String) throws {
    try expectRight("memory", store, store == "postgresql" ? 20 : 40)
  }

  @Test(
    "wherever a wire is cut, what was acknowledged is there once, and nothing is there half (reliability 3.4)",
    .enabled(if: TestDatabase.uri != nil))
  func cuts() throws {
    try expectRight("cuts", "postgresql", 30)
  }

  @Test(
    "a store that says saved and is not, and a reader that takes a cut wire for no records, are found out",
    .enabled(if: TestDatabase.uri != nil), arguments: ["boasting", "swallowing"])
  func cutsControl(_ wrong: String) throws {
    try expectFound("cuts", "postgresql", 100, wrong)
  }

  @Test(
    "whatever fails while contexts save at once, each save is there as it was told, with few flushes (F15)",
    arguments: stores)
  func group(_ store: String) throws {
    try expectRight("group", store, 40)
  }

  @Test("saves that share no flush are found out", arguments: stores)
  func groupControl(_ store: String) throws {
    try expectFound("group", store, 1, "turns")
  }

  @Test("a time of day that jumps by years changes nothing (reliability 3.27)", arguments: stores)
  func clock(_ store: String) throws {
    try expectRight("clock", store, 20)
  }
}
#endif
