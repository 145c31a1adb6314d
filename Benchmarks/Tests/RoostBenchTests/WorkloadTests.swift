// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Whether both sides do the same work, on little data: what a run checks in every round.
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
    try run.run()
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
  }

  @Test("reading workloads alone find the data that they need")
  func readingAlone() throws {
    let results = try run([.sqlite], ["W7"])
    #expect(results.measurement(.sqlite, "W7")?.checksum != Checksum())
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
    let lmdb = try EngineCatalogue([.lmdb], folder: folder, durability: .relaxed)
    #expect(lmdb.engines.first?.durabilityNote.contains("MDB_NOMETASYNC") == true)
    let extra = try EngineCatalogue([.sqlite], folder: folder, durability: .extra)
    #expect(extra.engines.first?.durabilityNote.contains("EXTRA") == true)
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
