// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Checks, on little data, that both sides do the same work, as a run does in every round.
@Suite(.serialized) struct WorkloadTests {
  private func run(
    _ stores: [StoreKind], _ ids: [String]? = nil, rounds: Int = 1
  ) throws -> BenchResults {
    var options = BenchOptions()
    options.objects = 1_000
    options.rounds = rounds
    options.workloads = ids ?? WorkloadCatalogue.all.map(\.id)
    options.isQuiet = true
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue(stores, folder: folder, durability: .full)
    defer { catalogue.shutDown() }
    var extent = Extent(objects: options.objects)
    extent.queries = 50
    extent.saves = 50
    extent.openings = 3
    let run = try BenchRun(
      options, engines: catalogue.engines, progress: Progress(isQuiet: true), extent: extent)
    run.run()
    #expect(run.results.failures == nil)
    return run.results
  }

  /// Continuous integration starts a server for all tests.
  private static let hasServer = ProcessInfo.processInfo.environment["DATABASE_URL"] != nil

  @Test("every workload comes to the same result on every store, with Roost and without")
  func agreement() throws {
    let stores: [StoreKind] = [.sqlite, .lmdb, .memory] + (Self.hasServer ? [.postgresql] : [])
    let results = try run(stores, rounds: 2)
    for workload in WorkloadCatalogue.all {
      for store in stores {
        let measurement = try #require(results.measurement(store, workload.id))
        #expect(measurement.values.count == 2, "\(workload.id)")
        #expect(measurement.checksum != Checksum(), "\(workload.id) read nothing")
      }
    }
    #expect(results.ratio(.sqlite, "W4")?.value != nil)
    #expect(results.ratio(.memory, "W11")?.value == nil, "plain structures are not opened")
    #expect(results.measurement(.sqlite, "W4", .tuned)?.values.count == 2)
    #expect(results.ratio(.sqlite, "W4")?.baseline?.0 == .raw, "goals are judged against raw")
    #expect(results.measurement(.sqlite, "A4")?.unit == "ns")
  }

  @Test("reading workloads alone find the data that they need")
  func readingAlone() throws {
    let results = try run([.sqlite], ["W7"])
    #expect(results.measurement(.sqlite, "W7")?.checksum != Checksum())
  }

  @Test("when a store fails its rest is left out, and what was done so far and the others are kept")
  func failures() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([.sqlite, .memory], folder: folder, durability: .full)
    var options = BenchOptions()
    options.objects = 1_000
    options.rounds = 2
    options.workloads = ["W2", "W9"]
    let run = try BenchRun(
      options, engines: catalogue.engines, progress: Progress(isQuiet: true))
    // The raw side cannot open its file again.
    let raw = folder.url.appending(path: "sqlite/raw.sqlite")
    try FileManager.default.removeItem(at: raw)
    try FileManager.default.createDirectory(at: raw, withIntermediateDirectories: true)
    run.run()
    #expect(run.results.failures?.count == 1)
    #expect(run.results.failures?.first?.contains("SQLite W2, baseline raw, round 1") == true)
    #expect(run.results.measurement(.memory, "W9")?.values.count == 2)
    #expect(run.results.measurement(.sqlite, "W9") == nil)
  }

  @Test("a level of durability that a store does not have is refused when it is asked for")
  func durability() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    #expect(throws: BenchError.self) {
      try EngineCatalogue([.sqlite], folder: folder, durability: .relaxed)
    }
    #expect(throws: BenchError.self) {
      try EngineCatalogue([.memory], folder: folder, durability: .extra)
    }
    #expect(throws: BenchError.self) {
      try EngineCatalogue([.lmdb], folder: folder, durability: .extra)
    }
    // Roost's PostgreSQL store commits durably whatever the session's setting is, so both sides would differ.
    for level in [Durability.relaxed, .extra] {
      let error = #expect(throws: BenchError.self) {
        try EngineCatalogue([.postgresql], folder: folder, durability: level)
      }
      #expect(error?.description.contains("no \(level) durability") == true)
    }
    let lmdb = try EngineCatalogue([.lmdb], folder: folder, durability: .relaxed)
    #expect(lmdb.engines.first?.durabilityNote.contains("MDB_NOMETASYNC") == true)
    let extra = try EngineCatalogue([.sqlite], folder: folder, durability: .extra)
    #expect(extra.engines.first?.durabilityNote.contains("EXTRA") == true)
  }

  @Test(
    "what a server promises is printed as it says it, and loudly when it does not wait for the disk"
  )
  func server() throws {
    let safe = ServerDurability(synchronousCommit: "off", fsync: "on", fullPageWrites: "on")
    #expect(safe.note == "synchronous_commit = on, fsync = on, full_page_writes = on")
    let strong = ServerDurability(
      synchronousCommit: "remote_apply", fsync: "on", fullPageWrites: "on")
    #expect(strong.inSessions == "remote_apply")
    let fast = ServerDurability(synchronousCommit: "on", fsync: "off", fullPageWrites: "off")
    #expect(fast.note.contains("DOES NOT WAIT FOR THE DISK"))
  }

  @Test(
    "on a server that is not its own a run makes schemas of its own, and removes only these",
    .enabled(if: hasServer))
  func schemas() throws {
    let address = try #require(ProcessInfo.processInfo.environment["DATABASE_URL"])
    let engine = try PostgreSQLEngine(durability: .full)
    let other = try PostgreSQLEngine(durability: .full)
    defer { other.shutDown() }
    let data = SampleData(Extent(objects: 1_000))
    for engine in [engine, other] { try RawStage(engine, data).fill() }
    let child = try PostgreSQLEngine(place: try #require(engine.placeForChild))
    #expect(try RawStage(child, data).contents() == RawStage(other, data).contents())
    child.shutDown()
    #expect(try RawStage(engine, data).contents() != Checksum())
    engine.shutDown()
    #expect(throws: BenchError.self) { try RawStage(engine, data).contents() }
    #expect(try RawStage(other, data).contents() != Checksum())
    let connection = try RawPostgreSQL(address: address, session: RawSession())
    let schema = try #require(engine.placeForChild?.split(separator: " ").first)
    #expect(try connection.size(ofSchema: String(schema)) == 0)
  }

  @Test("a folder that cannot be written is refused with its name")
  func folders() {
    let error = #expect(throws: BenchError.self) { try WorkFolder(in: "/dev/null") }
    #expect(error?.description.contains("/dev/null") == true)
  }

  @Test("the data is the same in every run")
  func data() {
    let first = Sample(42, departments: 1_000)
    let again = Sample(42, departments: 1_000)
    #expect(first.uuid == again.uuid && first.score == again.score)
    #expect((0..<1_000).allSatisfy { (0..<90).contains(Sample($0, departments: 10).age) })
    #expect(Set(Scramble.choice(1_000, below: 1_000)).count == 1_000)
    #expect(Set(Scramble.choice(10, below: 1_000)).count == 10)
    #expect(!Scramble.choice(100, below: 1_000).elementsEqual(0..<100))
  }
}
