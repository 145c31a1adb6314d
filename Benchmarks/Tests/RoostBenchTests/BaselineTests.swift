// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Whether all engines, called directly, come to the same results.
@Suite struct BaselineTests {
  /// Everything that a baseline can do, one after the other.
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
    results["W3"] = try database.lookUp(data.lookups.map { $0 + 1 })
    results["W4"] = try database.query(data)
    results["W6"] = try database.followPrefetched()
    results["W6b"] = try database.follow()
    results["W7"] = try database.sumByDepartment()
    results["W9"] = try database.average()
    if let once = try database.sumAtOnce() { #expect(once == results["W7"]) }
    try database.change(data)
    results["W5"] = try database.readAll()
    try database.saveOneByOne(data)
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
    #expect(plain["W5"] != plain["W1"] && plain["W8"] != plain["W10"])
    let sqlite = try RawSQLite(path: folder.url.path + "/a.sqlite", synchronous: "OFF")
    #expect(try results(of: sqlite) == plain)
    let lmdb = try RawLMDB(path: folder.folder("lmdb").path, waitsForEnd: false)
    #expect(try results(of: lmdb) == plain)
  }

  @Test(
    "PostgreSQL, called directly, comes to what plain structures come to",
    .enabled(if: ProcessInfo.processInfo.environment["DATABASE_URL"] != nil))
  func server() throws {
    let address = try #require(ProcessInfo.processInfo.environment["DATABASE_URL"])
    // Other suites run beside this one, on the namespace that a benchmark uses.
    let schema = "roost_bench_baseline"
    let database = try RawPostgreSQL(address: address, schema: schema)
    #expect(try results(of: database) == results(of: RawMemory()))
    let other = try RawPostgreSQL(address: address, schema: schema)
    try other.removeAll()
  }

  @Test("what an engine refuses is an error that says so")
  func refusals() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let missing = folder.url.path + "/none/a.sqlite"
    #expect(throws: BenchError.self) { try RawSQLite(path: missing, synchronous: "FULL") }
    #expect(throws: BenchError.self) { try RawLMDB(path: missing) }
    let error = #expect(throws: BenchError.self) {
      try RawPostgreSQL(address: "host=\(folder.url.path) dbname=none connect_timeout=1")
    }
    #expect(error?.description.hasPrefix("PostgreSQL: ") == true)
  }
}
