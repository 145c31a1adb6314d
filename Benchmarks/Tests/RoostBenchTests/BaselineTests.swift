// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Checks that all engines, called directly, return the same results.
@Suite struct BaselineTests {
  /// Returns the checksums of all requests of a baseline, made one after the other.
  private func results(of database: any RawDatabase) throws -> [String: Checksum] {
    var extent = Extent(objects: 1_000)
    extent.queries = 20
    extent.saves = 20
    let data = SampleData(extent)
    var results: [String: Checksum] = [:]
    try database.fill(data)
    results["fill"] = try database.readAll()
    try database.clear()
    results["clear"] = try database.readAll()
    try database.insert(data.persons, firstID: 1, departments: data.departmentNames)
    results["W1"] = try database.readAll()
    results["W2h"] = try database.keepAll().checksum
    results["M3"] = try database.walkAll()
    try database.readKey()
    results["W11"] = try database.readFirst()
    results["W3"] = try database.lookUp(data.lookups.map { $0 + 1 })
    results["W4"] = try database.query(data)
    results["W6"] = try database.followPrefetched()
    results["W6b"] = try database.follow()
    results["W7"] = try database.sumByDepartment()
    results["W9"] = try database.average()
    if let once = try database.sumAtOnce() { #expect(once == results["W7"]) }
    try database.change(data)
    results["W5"] = try database.readAll()
    let late = (0..<extent.saves).map(data.latecomer)
    try database.saveOneByOne(late, firstID: extent.objects + 1)
    results["W10"] = try database.readAll()
    try database.delete(data)
    results["W8"] = try database.readAll()
    results["W4 after"] = try database.query(data)
    results["W7 after"] = try database.sumByDepartment()
    database.close()
    return results
  }

  @Test("SQLite and LMDB, called directly, come to what plain structures come to")
  func files() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let plain = try results(of: RawMemory())
    #expect(plain["clear"] == Checksum())
    #expect(plain["W1"] == plain["fill"] && plain["W1"] == plain["W2h"])
    #expect(plain["W1"] == plain["M3"] && plain["W11"] != Checksum())
    #expect(plain["W5"] != plain["W1"] && plain["W8"] != plain["W10"])
    let sqlite = try RawSQLite(path: folder.url.path + "/a.sqlite", synchronous: "OFF")
    #expect(try results(of: sqlite) == plain)
    let tuned = try RawSQLite(
      path: folder.url.path + "/b.sqlite", synchronous: "OFF", isTuned: true)
    #expect(try results(of: tuned) == plain)
    let lmdb = try RawLMDB(path: folder.folder("lmdb").path, waitsForEnd: false)
    #expect(try results(of: lmdb) == plain)
  }

  @Test(
    "PostgreSQL, called directly, comes to what plain structures come to",
    .enabled(if: ProcessInfo.processInfo.environment["DATABASE_URL"] != nil))
  func server() throws {
    let address = try #require(ProcessInfo.processInfo.environment["DATABASE_URL"])
    let session = RawSession(
      schema: "roost_bench_baseline_\(ProcessInfo.processInfo.processIdentifier)")
    let database = try RawPostgreSQL(address: address, session: session)
    defer { try? RawPostgreSQL(address: address, session: session).removeAll() }
    #expect(try results(of: database) == results(of: RawMemory()))
  }

  @Test(
    "a session of the baseline has what Roost's has, and what the address asks for",
    .enabled(if: ProcessInfo.processInfo.environment["DATABASE_URL"] != nil))
  func sessions() throws {
    let address = try #require(ProcessInfo.processInfo.environment["DATABASE_URL"])
    let sign = address.contains("?") ? "&" : "?"
    let database = try RawPostgreSQL(
      address: address + sign + "options=-c%20work_mem%3D5MB",
      session: RawSession(schema: "somewhere", synchronousCommit: "local"))
    let found = try database.ask(
      """
      SELECT current_setting('jit'), current_setting('search_path'),
      current_setting('synchronous_commit'), current_setting('work_mem')
      """)
    #expect((0..<4).map { found.string(0, $0) } == ["off", "somewhere", "local", "5MB"])
  }

  @Test("the highest scores of many are kept, the highest first")
  func top() {
    let scores = (0..<1_000).map { Sample.score($0, generation: 0) }
    var best = TopScores(limit: 100)
    for (place, score) in scores.enumerated() { best.add(score, at: Int32(place)) }
    #expect(best.sorted().map(\.score) == scores.sorted(by: >).prefix(100).map(\.self))
    #expect(best.sorted().allSatisfy { scores[Int($0.place)] == $0.score })
    best.removeAll()
    best.add(1, at: 7)
    #expect(best.sorted().map(\.place) == [7])
  }

  @Test("what an engine refuses is an error that says so")
  func refusals() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let missing = folder.url.path + "/none/a.sqlite"
    #expect(throws: BenchError.self) { try RawSQLite(path: missing, synchronous: "FULL") }
    #expect(throws: BenchError.self) { try RawLMDB(path: missing) }
    let error = #expect(throws: BenchError.self) {
      try RawPostgreSQL(
        address: "host=\(folder.url.path) dbname=none connect_timeout=1", session: RawSession())
    }
    #expect(error?.description.hasPrefix("PostgreSQL: ") == true)
  }
}
